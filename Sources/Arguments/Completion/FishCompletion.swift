/// The fish completion of a command tree: one `complete` line for each option, guarded by the command of the option.
struct FishCompletion {
    private let root: CommandPath
    private let guardName: String
    private let askName: String
    private let question: CompletionQuestion?

    init(of root: CommandPath, asking question: CompletionQuestion?) {
        self.root = root
        self.question = question
        askName = "__" + root.spelling.replacing("-", with: "_") + "_ask"
        guardName = "__" + root.spelling.replacing("-", with: "_") + "_at"
    }

    var script: String {
        let paths = root.subtree
        return """
            # Completion of '\(root.spelling)' for fish.

            # Succeeds if the words before the cursor name exactly the command $argv[1], and contain "--" if $argv[2] is "--".
            function \(guardName)
                set -l words (commandline -opc)
                set -l command \(ShellQuoting.fish(root.spelling))
                set -l skip 0
                for word in $words[2..-1]
                    if test $skip = 1
                        set skip 0
                    else if test "$word" = --
                        test "$command" = "$argv[1]" -a "$argv[2]" = --
                        return
                    else if contains -- "$command $word" \(valuedSpellings(in: paths))
                        set skip 1
                    else if contains -- "$command $word" \(paths.dropFirst().map { ShellQuoting.fish($0.spelling) }.joined(separator: " "))
                        set command "$command $word"
                    end
                end
                test "$command" = "$argv[1]" -a -z "$argv[2]"
            end

            \(asking)complete -c \(root.spelling) -f
            \(paths.flatMap(lines).joined(separator: "\n"))
            """
    }

    /// The function that asks the program; empty without a question.
    private var asking: String {
        guard let question else { return "" }
        let attached = question.options.map { ShellQuoting.fish("\($0)=*") }
        return """
            # Prints the words of the kind $argv[1] that begin with the current word, as the program knows them now.
            function \(askName)
                set -l words (commandline -opc)
                set -l forwarded
                set -l takes 0
                for word in $words[2..-1]
                    if test $takes = 1
                        set -a forwarded $word
                        set takes 0
                    else if contains -- $word \(question.options.joined(separator: " "))
                        set -a forwarded $word
                        set takes 1
                    else if contains -- $word \(question.flags.joined(separator: " "))
                        set -a forwarded $word
                    else if string match -q -- \(attached.joined(separator: " $word; or string match -q -- ")) $word
                        set -a forwarded $word
                    end
                end
                $words[1] \(question.command) $argv[1] $forwarded -- (string replace -r -- '^--[^=]*=' '' (commandline -ct)) 2>/dev/null
            end


            """
    }

    private func valuedSpellings(in paths: [CommandPath]) -> String {
        paths.flatMap { path in
            path.definitions.filter(\.takesValue).flatMap(\.names).map { name in
                ShellQuoting.fish("\(path.spelling) \(name.spelling)")
            }
        }
        .joined(separator: " ")
    }

    private func lines(for path: CommandPath) -> [String] {
        let condition = "\(guardName) \(ShellQuoting.fish(path.spelling))"
        let lead = "complete -c \(root.spelling) -n \(ShellQuoting.fish(condition))"
        var lines = path.children.map { child in
            "\(lead) -a \(child.names.last ?? "") -d \(ShellQuoting.fish(child.configuration.abstract))"
        }
        if path.isRoot, !lines.isEmpty { lines.append("\(lead) -a help -d 'Show help of a command.'") }
        for definition in path.definitions {
            switch definition.kind {
            case .option(let names):
                lines.append(
                    "\(lead)\(spelled(names)) -d \(ShellQuoting.fish(definition.abstract)) -r\(values(definition.completion))"
                )
            case .flag(let names):
                lines.append("\(lead)\(spelled(names)) -d \(ShellQuoting.fish(definition.abstract))")
            case .positional where definition.completion != .none:
                lines.append("\(lead)\(values(definition.completion))")
            case .passthrough:
                lines.append("complete -c \(root.spelling) -n \(ShellQuoting.fish(condition + " --")) -F")
            case .positional, .captured:
                break
            }
        }
        return lines
    }

    private func spelled(_ names: [Name]) -> String {
        names.map { name in
            switch name {
            case .long(let name): " -l \(name)"
            case .short(let character): " -s \(character)"
            }
        }.joined()
    }

    private func values(_ completion: CompletionKind) -> String {
        switch completion {
        case .none: return " -f"
        case .list(let words): return " -f -a \(ShellQuoting.fish(words.joined(separator: " ")))"
        case .asked(let kind):
            return question.map { _ in " -f -a \(ShellQuoting.fish("(\(askName) \(kind))"))" } ?? " -f"
        case .directory: return " -f -a '(__fish_complete_directories)'"
        case .file(let extensions) where extensions.isEmpty: return " -F"
        case .file(let extensions):
            let suffixes = extensions.map { "(__fish_complete_suffix .\($0))" }.joined(separator: " ")
            return " -f -a \(ShellQuoting.fish(suffixes))"
        }
    }
}
