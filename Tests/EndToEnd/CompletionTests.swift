import Foundation
import Testing

extension EndToEndTests {
    @Suite("Completion of what the coordinator knows", .timeLimit(.minutes(60)))
    struct CompletionTests {
        enum Shell: String, CaseIterable, Sendable {
            case bash, zsh, fish

            /// The path of the shell; nil if it is not installed.
            var path: String? {
                ["/bin/", "/usr/bin/", "/usr/local/bin/"].map { $0 + rawValue }.first {
                    FileManager.default.isExecutableFile(atPath: $0)
                }
            }

            /// A script that prints the candidates for a command line, one a line; the line's last word is being typed.
            ///
            /// - Parameter words: the command line, without the program.
            func script(for words: [String]) -> String {
                let words = words.map { "'\($0)'" }.joined(separator: " ")
                switch self {
                case .bash:
                    return """
                        source <(baton completion bash)
                        COMP_WORDS=(baton \(words)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                        _baton
                        if ((${#COMPREPLY[@]} > 0)); then printf '%s\\n' "${COMPREPLY[@]}"; fi
                        """
                case .zsh:
                    // Only an interactive shell completes, so that the script types into one.
                    return """
                        baton completion zsh > script.zsh
                        zmodload zsh/zpty
                        zpty shell zsh -f -i
                        zpty -w shell 'PS1= PS2=; autoload -Uz compinit; compinit -u -D; source ./script.zsh'
                        zpty -w shell 'compadd() { local -a hits; builtin compadd -A hits "$@"; print -l -- "HIT:"$^hits; builtin compadd "$@" }'
                        zpty -w shell 'say() { zle complete-word; print; print DONE-$((1 + 1)) }; zle -N say; bindkey "^I" say; print READY-$((1 + 1))'
                        while zpty -r shell line; do [[ "$line" == *READY-2* ]] && break; done
                        words=(\(words))
                        zpty -w -n shell "baton $words"$'\\t'
                        while zpty -r shell line; do
                            [[ "$line" == *DONE-2* ]] && break
                            if [[ "$line" == *HIT:* ]]; then print -r -- "${${line##*HIT:}%%$'\\r'*}"; fi
                        done
                        zpty -d shell
                        """
                case .fish:
                    return """
                        source (baton completion fish | psub)
                        for line in (complete -C "baton $(string join ' ' -- \(words))"); string split -f 1 \\t -- $line; end
                        """
                }
            }
        }

        /// The candidates that a shell offers.
        private func candidates(
            in shell: Shell,
            for words: [String],
            _ cluster: TestCluster,
            environment: [String: String] = ["BATON_COMPLETION_TIMEOUT": "10m"]
        ) async throws -> [String] {
            let file = try cluster.write(shell.script(for: words), to: "driver.\(shell)")
            let directory = URL(filePath: TestCluster.program).deletingLastPathComponent().path
            let options = ["bash": "--norc", "zsh": "-f", "fish": "--no-config"]
            let variables = environment.map { "export \($0.key)='\($0.value)'; " }.joined()
            let process = try cluster.start(
                script: """
                    export HOME="$BATON_HOME" PATH='\(directory)':"$PATH"; \(variables)
                    exec '\(try #require(shell.path))' \(options[shell.rawValue] ?? "") '\(file)'
                    """
            )
            #expect(try await process.end() == 0, "\(process.errorText)")
            #expect(process.errorText == "")
            return process.outputText.split(separator: "\n").map(String.init)
        }

        @Test(
            "A shell completes jobs, operations, queues and workers as they are now",
            arguments: Shell.allCases
        )
        func dynamic(_ shell: Shell) async throws {
            guard shell.path != nil else {
                print("The completion of \(shell) was not tested: \(shell) is not installed on this machine.")
                #expect(shell != .bash, "bash is needed for the tests")
                return
            }
            try await withCluster(workers: 2) { cluster in
                try cluster.write(
                    """
                    { name: "thumbs", operations: [
                      { name: "sepia", command: "true" }, { name: "sharp", command: "true" },
                      { name: "tidy", command: "true", after: ["sepia"] },
                    ] }
                    """,
                    to: "graph.json"
                )
                _ = try await cluster.submit("--file", "graph.json")
                _ = try await cluster.submit("--array", "1-2", "--queue", "images", "--", "true")
                for (words, expected) in [
                    (["show", ""], ["1", "2", "last", "thumbs"]), (["attach", "t"], ["thumbs"]),
                    (["log", "thumbs/s"], ["thumbs/sepia", "thumbs/sharp"]), (["wait", "2/"], ["2/0", "2/1"]),
                    (["cancel", "1", "2/1"], ["2/1"]), (["queue", "show", "i"], ["images"]),
                    (["drain", ""], ["w1", "w2"]), (["submit", "--needs", "1/t"], ["1/tidy"]),
                    (["submit", "--needs", ""], ["1", "2"]),
                    (["list", "--queue", ""], ["default", "images"]),
                ] as [([String], [String])] {
                    let found = try await candidates(in: shell, for: words, cluster)
                    #expect(Set(found) == Set(expected), "\(words)")
                }
                // The options of the line say whom to ask.
                let address = cluster.endpoint
                let split =
                    shell == .bash
                    ? address.split(separator: "/").flatMap { part -> [String] in
                        part == "tcp:"
                            ? ["tcp", ":"]
                            : ["//" + part.prefix { $0 != ":" }, ":", String(part.split(separator: ":")[1])]
                    } : [address]
                let elsewhere = try await candidates(
                    in: shell,
                    for: ["--coordinator"] + split + ["drain", "w"],
                    cluster,
                    environment: ["BATON_COMPLETION_TIMEOUT": "10m", "BATON_COORDINATOR": "tcp://127.0.0.1:1"]
                )
                #expect(Set(elsewhere) == ["w1", "w2"])
            }
        }

        @Test(
            "Where no coordinator answers, a shell completes nothing, says nothing, and does not wait",
            arguments: Shell.allCases
        )
        func silence(_ shell: Shell) async throws {
            guard shell.path != nil else { return }
            try await withCluster(workers: nil) { cluster in
                for variables in [
                    ["BATON_COORDINATOR": "tcp://127.0.0.1:1"], ["BATON_HOME": "/no/such"], ["BATON_INSECURE": "9"],
                ] {
                    let found = try await candidates(in: shell, for: ["show", ""], cluster, environment: variables)
                    // Where nothing fits, zsh offers the options.
                    #expect(found.allSatisfy { $0.hasPrefix("-") }, "\(variables)")
                }
            }
        }

        @Test("A name with characters of the shell comes quoted from bash")
        func quoted() async throws {
            try await withCluster { cluster in
                try cluster.write("{ operations: [{ name: \"it's$HOME\", command: \"true\" }] }", to: "graph.json")
                _ = try await cluster.submit("--file", "graph.json")
                let found = try await candidates(in: .bash, for: ["show", "1/"], cluster)
                #expect(found == [#"1/it\'s\$HOME"#])
            }
        }
    }
}
