@_spi(Baton) import BatonArguments
import Foundation
import Testing

@Suite("Completion scripts", .timeLimit(.minutes(60)))
struct CompletionTests {
    @Test(
        "Every shell on this machine accepts its completion script without an error",
        arguments: CompletionShell.allCases
    )
    func syntax(shell: CompletionShell) throws {
        guard let program = Shell.find(shell.rawValue) else {
            print("The \(shell) script was not checked: there is no \(shell) on the PATH of this machine.")
            #expect(shell != .bash, "bash is needed for the tests")
            return
        }
        let script = Tool.completionScript(for: shell)
        let result = try Shell.run(program, ["-n", "-c", script])
        #expect(result == Shell.Result(status: 0, output: "", errors: ""))
    }

    struct Line: Sendable, CustomTestStringConvertible {
        /// The words as bash splits them; the last one is being typed.
        let words: [String]
        let candidates: [String]

        var testDescription: String { words.joined(separator: " ") }
    }

    @Test(
        "The bash script completes commands, options and values",
        arguments: [
            Line(words: [""], candidates: ["submit", "wait", "queue", "priority", "move", "help"]),
            Line(words: ["su"], candidates: ["submit"]),
            Line(words: ["--c"], candidates: ["--coordinator"]),
            Line(words: ["queue", ""], candidates: ["list", "set"]),
            Line(words: ["--json", "--home", "wait", "queue", "s"], candidates: ["set"]),
            Line(words: ["--coordinator", "tcp", ":", "//h", ":", "1", "queue", "l"], candidates: ["list"]),
            Line(words: ["--coordinator", "=", "tcp", ":", "//h", ":", "1", "queue", "l"], candidates: ["list"]),
            Line(words: ["help", "que"], candidates: ["queue"]),
            Line(words: ["help", "queue", ""], candidates: ["list", "set"]),
            Line(words: ["queue", "set", "--max"], candidates: ["--max-concurrent"]),
            Line(words: ["submit", "--q"], candidates: ["--queue", "--qos", "--quiet"]),
            Line(words: ["submit", "--qos", ""], candidates: ["user-initiated", "utility", "background"]),
            Line(words: ["submit", "--qos", "=", "u"], candidates: ["user-initiated", "utility"]),
            Line(words: ["submit", "--qos", "="], candidates: ["user-initiated", "utility", "background"]),
            Line(words: ["submit", "--queue", ""], candidates: []),
            Line(words: ["submit", "--env", "A", "=", "1", "--hol"], candidates: ["--hold"]),
            Line(words: ["submit", "-F", ""], candidates: ["my folder", "a b.json", "c.jsonl"]),
            Line(words: ["submit", "--file", "c"], candidates: ["c.jsonl"]),
            Line(words: ["--home", ""], candidates: ["my folder"]),
            Line(words: ["submit", "--", "./pro"], candidates: ["./program"]),
            Line(words: ["submit", "--", "cat", "a"], candidates: ["a b.json"]),
            Line(words: ["submit", "--", "cat", "--h"], candidates: []),
            Line(words: ["wait", "12", ""], candidates: []),
            Line(words: ["move", "1", "2", "3", "ut"], candidates: ["utility"]),
        ]
    )
    func bash(line: Line) throws {
        let program = try #require(Shell.find("bash"))
        let folder = FileManager.default.temporaryDirectory.appending(path: "completion-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(
            at: folder.appending(path: "my folder"),
            withIntermediateDirectories: true
        )
        for name in ["a b.json", "c.jsonl", "d.txt"] {
            try Data().write(to: folder.appending(path: name))
        }
        #expect(
            FileManager.default.createFile(
                atPath: folder.appending(path: "program").path,
                contents: nil,
                attributes: [.posixPermissions: 0o755]
            )
        )

        let driver = """
            \(Tool.completionScript(for: .bash))
            cd "$1"
            shift
            COMP_WORDS=(tool "$@")
            COMP_CWORD=$#
            _tool
            if ((${#COMPREPLY[@]} > 0)); then printf '%s\\n' "${COMPREPLY[@]}"; fi
            """
        let result = try Shell.run(program, ["--norc", "-u", "-c", driver, "bash", folder.path] + line.words)
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
        #expect(Set(result.output.split(separator: "\n").map(String.init)) == Set(line.candidates))
    }

    @Test(
        "Each completion script names a sample of the tool's commands, options and values",
        arguments: CompletionShell.allCases
    )
    func completeness(shell: CompletionShell) {
        let script = Tool.completionScript(for: shell)
        for word in ["submit", "wait", "set", "max-concurrent", "user-initiated", "coordinator", "version", "jsonl"] {
            #expect(script.contains(word), "\(word)")
        }
    }
}

/// Runs a program of the machine.
enum Shell {
    struct Result: Equatable {
        let status: Int32
        let output: String
        let errors: String
    }

    static func find(_ name: String) -> URL? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").lazy
            .map { URL(fileURLWithPath: String($0)).appending(path: name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    static func run(_ program: URL, _ arguments: [String]) throws -> Result {
        let process = Process()
        let output = Pipe()
        let errors = Pipe()
        process.executableURL = program
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // The little on standard error fits into its pipe while standard output is read.
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        let complained = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus,
            output: String(decoding: printed, as: UTF8.self),
            errors: String(decoding: complained, as: UTF8.self)
        )
    }
}
