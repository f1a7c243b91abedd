import Testing

@_spi(Baton) @testable import BatonArguments
@_spi(Baton) @testable import baton_cli

/// The page for users of other programs.
@Suite("Manual: coming from other programs")
struct ComingFromTests {
    /// The options of sbatch in Slurm 22.05, by their long names, and newer ones.
    private static let optionsOfSbatch = """
        account acctg-freq array batch bb bbf begin chdir cluster-constraint clusters comment constraint container \
        container-id contiguous core-spec cores-per-socket cpu-freq cpus-per-gpu cpus-per-task deadline delay-boot \
        dependency distribution error exclude exclusive export export-file extra extra-node-info get-user-env gid \
        gpu-bind gpu-freq gpus gpus-per-node gpus-per-socket gpus-per-task gres gres-flags help hint hold ignore-pbs \
        input job-name kill-on-invalid-dep licenses mail-type mail-user mcs-label mem mem-bind mem-per-cpu mem-per-gpu \
        mincpus network nice no-kill no-requeue nodefile nodelist nodes ntasks ntasks-per-core ntasks-per-gpu \
        ntasks-per-node ntasks-per-socket oom-kill-step open-mode output overcommit oversubscribe parsable partition \
        power prefer priority profile propagate qos quiet reboot requeue reservation resv-ports segment signal \
        sockets-per-node spread-job stepmgr switches test-only thread-spec threads-per-core time time-min tmp \
        tres-bind tres-per-task uid usage use-min-nodes verbose version wait wait-all-nodes wckey wrap
        """

    private let page = ManualPage(name: "ComingFrom")

    /// The pieces of code in a text: every second piece between backquotes.
    private func codes(in text: Substring) -> [Substring] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
    }

    @Test("Each option of sbatch has a row")
    func sbatch() throws {
        var isTable = false
        var options: Set<Substring> = []
        for line in try ManualPage.lines(of: page.text()) {
            if line.hasPrefix("#") { isTable = line == "### Options of sbatch" }
            guard isTable, line.hasPrefix("| `") else { continue }
            for code in codes(in: line.split(separator: "|")[0]) where code.hasPrefix("--") {
                options.insert(code.dropFirst(2).prefix { $0 != "=" })
            }
        }
        for option in Self.optionsOfSbatch.split(separator: " ") {
            #expect(options.contains(option), "ComingFrom.md has no row for --\(option) of sbatch")
        }
    }

    @Test("Each command of Baton that the page names in a line exists, with the options that stand there")
    func commands() throws {
        let commands = CommandPath(root: BatonCommand.self).subtree
        var count = 0
        for line in try ManualPage.lines(of: page.text()) {
            for code in codes(in: line) where code.hasPrefix("baton ") {
                let words = code.split(separator: " ").prefix { $0 != "--" }
                // The longest name of a command, such as that of "queue set" and not that of "queue".
                let names = commands.filter { words.starts(with: $0.spelling.split(separator: " ")) }
                let command = try #require(names.max { $0.types.count < $1.types.count })
                #expect(!command.isRoot || words.count == 1 || words[1].hasPrefix("-"), "\(code)")
                let known = command.definitions.flatMap(\.names)
                for word in words where word.hasPrefix("--") {
                    let name = String(word.dropFirst(2).prefix { $0 != "=" })
                    #expect(known.contains(.long(name)), "\(code)")
                }
                count += 1
            }
        }
        #expect(count > 50)
    }
}
