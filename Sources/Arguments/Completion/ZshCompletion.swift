/// The zsh completion of a command tree: one function for each command, written for `_arguments`.
struct ZshCompletion {
    private let root: CommandPath
    private let question: CompletionQuestion?

    init(of root: CommandPath, asking question: CompletionQuestion?) {
        self.root = root
        self.question = question
    }

    var script: String {
        let functions = root.subtree.map(function).joined(separator: "\n")
        let name = functionName(of: root)
        return """
            #compdef \(root.spelling)
            # Completion of '\(root.spelling)' for zsh.

            \(asking)\(functions)
            # From fpath, zsh runs this file as the function; when sourced, the file registers the function.
            if [[ "${funcstack[1]}" == \(name) ]]; then
                \(name) "$@"
            else
                compdef \(name) \(root.spelling)
            fi
            """
    }

    private var askName: String { functionName(of: root) + "_ask" }

    /// The function that asks the program; empty without a question.
    private var asking: String {
        guard question != nil, let command = question?.command else { return "" }
        return """
            # Offers the words of the kind $1, as the program knows them now.
            \(askName)() {
                local -a lines entries
                local line
                lines=("${(@f)$("$service" \(command) "$1" "${forwarded[@]}" -- "$PREFIX" 2>/dev/null)}")
                for line in "${lines[@]}"; do
                    if [[ "$line" == *$'\\t'* ]]; then
                        entries+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}")
                    elif [[ -n "$line" ]]; then
                        entries+=("${line//:/\\\\:}")
                    fi
                done
                _describe -V -t "$1" "$1" entries
            }


            """
    }

    /// The lines that collect the options for a question, while the whole command line is there.
    private func forwarding(of path: CommandPath) -> String {
        guard path.isRoot, let question else { return "" }
        let options = question.options.joined(separator: "|")
        let attached = (question.options.map { "\($0)=*" } + question.flags).joined(separator: "|")
        return """
                local -a forwarded
                local index
                for ((index = 2; index < CURRENT; index++)); do
                    case "${words[index]}" in
                    \(options)) forwarded+=("${words[index]}" "${(Q)words[index + 1]}") ;;
                    \(attached)) forwarded+=("${(Q)words[index]}") ;;
                    esac
                done

            """
    }

    private func functionName(of path: CommandPath) -> String {
        "_" + path.names.joined(separator: "_").replacing("-", with: "_")
    }

    private func function(for path: CommandPath) -> String {
        let definitions = path.definitions
        var specifications = definitions.filter(\.isNamed).map(option)
        let positionals = definitions.filter { $0.kind == .positional }
        let repeating = positionals.firstIndex(where: \.isRepeating) ?? positionals.count
        for (index, definition) in positionals.prefix(repeating + 1).enumerated() {
            // A repeating argument has no fixed end, so the rest of the positions share one specification.
            let place = index == repeating ? "*" : "\(index + 1)"
            let alternatives = index == repeating ? positionals[index...].map(\.completion) : [definition.completion]
            let completion = alternatives.first { $0 != .none } ?? .none
            specifications.append(
                ShellQuoting.posix("\(place):\(escaped(definition.valueName)):\(action(completion))")
            )
        }
        for definition in definitions where definition.kind == .passthrough {
            specifications.append(ShellQuoting.posix("*::\(escaped(definition.valueName)): _normal"))
        }
        let children = path.children
        if !children.isEmpty {
            specifications += ["'1:command:->command'", "'*::argument:->argument'"]
        }
        return """
            \(functionName(of: path))() {
            \(forwarding(of: path))    local context state state_descr line curcontext="$curcontext"
                typeset -A opt_args
                _arguments -C -s -S \(specifications.joined(separator: " \\\n        "))
            \(dispatch(to: children, of: path))}

            """
    }

    private func dispatch(to children: [CommandPath], of path: CommandPath) -> String {
        guard !children.isEmpty else { return "" }
        var entries = children.map { child in
            ShellQuoting.posix(
                "\(child.names.last ?? ""):\(child.configuration.abstract)"
            )
        }
        let help = path.isRoot ? "            help) \(functionName(of: path)) ;;\n" : ""
        if path.isRoot { entries.append("'help:Show help of a command.'") }
        let branches = children.map { child in
            "            \(child.names.last ?? "")) \(functionName(of: child)) ;;\n"
        }
        return """
                case "$state" in
                command)
                    local -a commands
                    commands=(\(entries.joined(separator: " \\\n            ")))
                    _describe -t commands command commands
                    ;;
                argument)
                    case "${words[1]}" in
            \(branches.joined())\(help)        esac
                    ;;
                esac

            """
    }

    private func option(_ definition: ArgumentDefinition) -> String {
        let spellings = definition.names.map(\.spelling)
        // Zsh offers a repeatable option again and again; any other option disappears after one of its spellings is present.
        let exclusion = definition.isRepeating ? "'*'" : ShellQuoting.posix("(\(spellings.joined(separator: " ")))")
        let names = definition.names.map { name in
            guard definition.takesValue else { return name.spelling }
            return name.spelling + (name.isShort ? "+" : "=")
        }
        let spelled = names.count == 1 ? names[0] : "{\(names.joined(separator: ","))}"
        let description = "[\(escaped(definition.abstract))]"
        let value = definition.takesValue ? ":\(escaped(definition.valueName)):\(action(definition.completion))" : ""
        return exclusion + spelled + ShellQuoting.posix(description + value)
    }

    private func action(_ completion: CompletionKind) -> String {
        switch completion {
        case .none: " "
        case .list(let words): "(\(words.map(escaped).joined(separator: " ")))"
        case .asked(let kind): question.map { _ in "{\(askName) \(kind)}" } ?? " "
        case .directory: "_files -/"
        case .file(let extensions) where extensions.isEmpty: "_files"
        case .file(let extensions): "_files -g \"*.(\(extensions.joined(separator: "|")))\""
        }
    }

    /// Escapes the characters with a special meaning in a specification.
    private func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            if "\\:[]()\"$`".contains(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }
}
