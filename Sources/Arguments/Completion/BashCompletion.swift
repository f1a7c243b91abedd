/// The bash completion of a command tree.
///
/// The script contains two tables and one function. The tables list the parts of each command and the candidates of each value.
/// The function walks the words of the command line. The script needs no additional package.
struct BashCompletion {
    private let root: CommandPath
    private let prefix: String
    private let question: CompletionQuestion?

    init(of root: CommandPath, asking question: CompletionQuestion?) {
        self.root = root
        self.question = question
        prefix = "_" + root.spelling.replacing("-", with: "_")
    }

    var script: String {
        let paths = root.subtree
        return """
            # Completion of '\(root.spelling)' for bash.

            # Sets the variables for the command named by $1: its subcommands, its options, the options with a value, and
            # whether a program's own command follows "--".
            \(prefix)_describe() {
                subcommands="" options="" valued="" passthrough=""
                case "$1" in
            \(paths.map(description).joined())\
                esac
            }

            # Adds the candidates after $1 that begin with $1.
            \(prefix)_words() {
                local current="$1" word
                shift
                for word in "$@"; do
                    if [[ "$word" == "$current"* ]]; then COMPREPLY+=("$word"); fi
                done
            }

            # Adds the output of compgen for the arguments, and quotes file names where necessary.
            \(prefix)_files() {
                local IFS=$'\\n'
                compopt -o filenames 2>/dev/null
                COMPREPLY+=($(compgen "$@"))
            }

            \(asking)# Completes $2 as the value of $1: a command with an option, or with "#" and the index of an argument.
            \(prefix)_value() {
                case "$1" in
            \(paths.map(values).joined())\
                esac
            }

            \(walk)
            complete -F \(prefix) \(root.spelling)
            """
    }

    /// The function that asks the program; empty without a question.
    private var asking: String {
        guard let question else { return "" }
        // bash 3 takes an empty array for an unset one.
        let forwarded = "${forwarded[@]+\"${forwarded[@]}\"}"
        return """
            # Adds the words of the kind $1 that begin with $2, as the program knows them now.
            \(prefix)_ask() {
                local word
                while IFS= read -r word; do
                    word="${word%%$'\\t'*}"
                    if [[ "$word" == "$2"* ]]; then COMPREPLY+=("$(printf '%q' "$word")"); fi
                done < <("${COMP_WORDS[0]}" \(question.command) "$1" \(forwarded) -- "$2" 2>/dev/null)
            }


            """
    }

    /// The lines of the walk that collect the options for a question, after an option's value $word for $awaiting.
    private var forwarding: (value: String, flag: String, rest: String) {
        guard let question else { return ("", "", "") }
        let options = question.options.map(ShellQuoting.posix).joined(separator: " | ")
        let flags = question.flags.map(ShellQuoting.posix).joined(separator: " | ")
        return (
            value: """
                        case "$awaiting" in
                        \(options))
                            forwarded+=("$awaiting" "$word")
                            last=$index
                            ;;
                        esac

            """,
            flag: """
                        case "$word" in
                        \(flags)) forwarded+=("$word") ;;
                        esac

            """,
            rest: """
                        # The rest of a value that bash has split.
                        if [[ "$last" == "$((index - 1))" ]]; then
                            forwarded[${#forwarded[@]} - 1]+="$word${COMP_WORDS[index + 1]}"
                            last=$((index + 1))
                        fi

            """
        )
    }

    private func description(of path: CommandPath) -> String {
        let definitions = path.definitions
        func spellings(_ definitions: [ArgumentDefinition]) -> String {
            ShellQuoting.posix(definitions.flatMap(\.names).map(\.spelling).joined(separator: " "))
        }
        var children = path.children.map { $0.names.last ?? "" }
        if path.isRoot, !children.isEmpty { children.append("help") }
        return """
                    \(ShellQuoting.posix(path.spelling)))
                        subcommands=\(ShellQuoting.posix(children.joined(separator: " ")))
                        options=\(spellings(definitions))
                        valued=\(spellings(definitions.filter(\.takesValue)))
                        passthrough=\(definitions.contains { $0.kind == .passthrough } ? "1" : "\"\"")
                        ;;

            """
    }

    /// The values with a completion, keyed by the command plus the option name, or by the command plus `#` and the index of the
    /// argument.
    private func values(of path: CommandPath) -> String {
        let definitions = path.definitions
        let options = definitions.filter(\.takesValue).map { definition in
            let keys = definition.names.map { ShellQuoting.posix("\(path.spelling) \($0.spelling)") }
            return branch(keys.joined(separator: " | "), definition.completion)
        }
        let declared = definitions.filter { $0.kind == .positional }
        let repeating = declared.firstIndex(where: \.isRepeating) ?? declared.count
        let positionals = declared.enumerated().map { index, definition in
            // A repeating argument has no fixed end, so from its index on, all positions share one pattern.
            let key =
                index >= repeating
                ? ShellQuoting.posix("\(path.spelling) #") + "*" : ShellQuoting.posix("\(path.spelling) #\(index)")
            return branch(key, definition.completion)
        }
        return (options + positionals).joined()
    }

    private func branch(_ key: String, _ completion: CompletionKind) -> String {
        guard let action = action(completion) else { return "" }
        return "        \(key)) \(action) ;;\n"
    }

    private func action(_ completion: CompletionKind) -> String? {
        switch completion {
        case .none:
            return nil
        case .list(let words):
            return "\(prefix)_words \"$2\" \(words.map(ShellQuoting.posix).joined(separator: " "))"
        case .asked(let kind):
            return question.map { _ in "\(prefix)_ask \(ShellQuoting.posix(kind)) \"$2\"" }
        case .directory:
            return "\(prefix)_files -d -- \"$2\""
        case .file(let extensions) where extensions.isEmpty:
            return "\(prefix)_files -f -- \"$2\""
        case .file(let extensions):
            let files = extensions.map { "\(prefix)_files -f -X \(ShellQuoting.posix("!*.\($0)")) -- \"$2\"" }
            return (["\(prefix)_files -d -- \"$2\""] + files).joined(separator: "; ")
        }
    }

    /// The function that finds the position of the cursor in the command line.
    private var walk: String {
        """
        \(prefix)() {
            local current="${COMP_WORDS[COMP_CWORD]}" command=\(ShellQuoting.posix(root.spelling))
            local subcommands options valued passthrough index word awaiting="" position=0
        \(question == nil ? "" : "    local forwarded=() last=0\n")    COMPREPLY=()
            \(prefix)_describe "$command"
            for ((index = 1; index < COMP_CWORD; index++)); do
                word="${COMP_WORDS[index]}"
                # bash splits words at ":" and "=", so "tcp://host" comes as "tcp", ":", "//host".
                if [[ "$word" == "=" && -n "$awaiting" ]]; then
                    continue
                elif [[ "$word" == "=" || "$word" == :* ]]; then
        \(forwarding.rest)            ((index += 1))
                elif [[ -n "$awaiting" ]]; then
        \(forwarding.value)            awaiting=""
                elif [[ "$word" == "--" ]]; then
                    if [[ -n "$passthrough" ]]; then
                        # The first word is the name of a program, the others are its arguments.
                        if ((index + 1 == COMP_CWORD)); then
                            COMPREPLY=($(compgen -c -- "$current" | sort -u))
                        else
                            \(prefix)_files -f -- "$current"
                        fi
                        return 0
                    fi
                elif [[ " $valued " == *" $word "* ]]; then
                    awaiting="$word"
                elif [[ "$command $word" == \(ShellQuoting.posix(root.spelling + " help")) ]]; then
                    # Complete "help queue" like "queue".
                    continue
                elif [[ " $subcommands " == *" $word "* ]]; then
                    command+=" $word"
                    \(prefix)_describe "$command"
                elif [[ "$word" != -* ]]; then
                    ((position += 1))
        \(question == nil ? "" : "        else\n")\(forwarding.flag)        fi
            done
            if [[ -n "$awaiting" ]]; then
                if [[ "$current" == "=" ]]; then current=""; fi
                \(prefix)_value "$command $awaiting" "$current"
            elif [[ "$current" == -* ]]; then
                COMPREPLY=($(compgen -W "$options" -- "$current"))
            elif [[ -n "$subcommands" ]]; then
                COMPREPLY=($(compgen -W "$subcommands" -- "$current"))
            else
                \(prefix)_value "$command #$position" "$current"
            fi
        }
        """
    }
}
