import Foundation
import Testing

extension EndToEndTests {
    /// The page of the manual for users of other programs says that its scripts run as they stand.
    @Suite("Scripts of the manual", .timeLimit(.minutes(60)))
    struct ManualScriptTests {
        @Test("The page has scripts for each of the programs that it is about")
        func headings() {
            let programs = [
                "make and ninja", "GNU parallel", "Snakemake and Nextflow", "Slurm", "cron", "task-spooler",
            ]
            #expect(Set(ManualScript.all.map(\.heading)) == Set(programs))
        }

        @Test("Each script of the page runs as it stands, and prints what stands below it", arguments: ManualScript.all)
        func run(_ script: ManualScript) async throws {
            if let program = script.missingProgram {
                try Test.cancel("\(program) is not installed, so that nobody runs its script")
            }
            try await withCluster(slots: 2) { cluster in
                try FileManager.default.createDirectory(
                    at: cluster.home.appending(path: "files"),
                    withIntermediateDirectories: false
                )
                try cluster.write(script.text, to: "script")
                let programs = URL(filePath: TestCluster.program).deletingLastPathComponent().path
                let shell = try cluster.start(
                    script: "cd files && PATH='\(programs)':\"$PATH\" exec sh -eu ../script"
                )
                let status = try await shell.end()
                #expect(status == 0 && shell.outputText == script.output, "\(shell.outputText)\(shell.errorText)")
            }
        }
    }
}
