@_spi(Baton) extension OptionForm {
    /// Returns why a user cannot set a value, as the end of a sentence that begins with the option; nil for other values.
    ///
    /// Records may have paths that are others on a worker than where their user wrote them; submissions may not.
    public func objection(toSubmitted value: OptionValue) -> String? {
        objection(to: value) ?? objection(toMisplaced: value)
    }

    /// Objects to a path that a command takes for itself, as the end of a sentence; nil for other paths.
    ///
    /// Where `-` stands for a standard stream, the command does not ask.
    public static func objection(toOwnPath path: String) -> String? {
        if path == "-" { return "is \"-\", which stands for no stream here: write ./- for that name" }
        return objection(toShellPath: path)
    }

    /// Objects to a resource that has an option of its own: the operation would wait for a worker with such a named resource.
    ///
    /// Users of other schedulers mean megabytes by a number of memory.
    public static func objection(toResource name: String) -> String? {
        switch name.lowercased() {
        case "mem", "memory":
            "cannot be \"\(name)\": memory has an option of its own, with a unit, such as --memory 4G or memory: \"4G\""
        case "cpu", "cpus": "cannot be \"\(name)\": processors have an option of their own, such as --cpus 2 or cpus: 2"
        default: nil
        }
    }

    /// Objects to a name that no program asks for, as the end of a sentence about variables; nil for other names.
    public static func objection(toVariable name: String) -> String? {
        VariableName.obstacle(in: name).map {
            "has \"\(name.asShown)\", which has \($0) in it and is not a name for an environment variable"
        }
    }

    private func objection(toMisplaced value: OptionValue) -> String? {
        if case .amounts(let amounts) = value {
            return amounts.keys.sorted().lazy.compactMap(Self.objection(toResource:)).first
        }
        if case .variables(let variables) = value {
            return variables.keys.sorted().lazy.compactMap(Self.objection(toVariable:)).first
        }
        guard case .text(let text) = value else { return nil }
        switch self {
        case .directory:
            return Self.objection(toProcessPath: text, "directory", advice: "write the path of the directory")
                ?? Self.objection(toOwnPath: text)
        case .file:
            let advice = "name a file that the workers can read, or send what submit or run reads, with --stdin -"
            return Self.objection(toProcessPath: text, "file", advice: advice) ?? Self.objection(toShellPath: text)
        case .outputFile:
            let path = String(OutputFilePath.withoutAppendMark(text))
            let advice = "leave the option out, and \"baton log\" prints the output"
            if path == "-" {
                return "is \"-\", and would be a file of that name: \(advice), or write ./- for the file"
            }
            return Self.objection(toProcessPath: path, "file", advice: advice) ?? Self.objection(toShellPath: path)
        default: return nil
        }
    }

    /// Objects to a path through the descriptors of the process that opens it, or through other things of that process.
    private static func objection(toProcessPath path: String, _ noun: String, advice: String) -> String? {
        guard path.hasPrefix("/") else { return nil }
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        guard parts.count > 1 else { return nil }
        let isOfProcess: Bool
        switch parts[0] {
        case "dev" where noun == "file" && ["tty", "console", "pts", "ptmx"].contains(parts[1]):
            return "is \"\(path.asShown)\", which is a terminal, and operations have none: \(advice)"
        case "dev": isOfProcess = ["stdin", "stdout", "stderr", "fd"].contains(parts[1])
        case "proc":
            let isOfOther = parts[1].utf8.allSatisfy { (0x30...0x39).contains($0) } && parts.contains("fd")
            isOfProcess = isOfOther || ["self", "thread-self"].contains(parts[1])
        default: isOfProcess = false
        }
        guard isOfProcess else { return nil }
        return "is \"\(path.asShown)\", which is another \(noun) in each process: \(advice)"
    }

    /// Objects to a path that only a shell could fill.
    private static func objection(toShellPath path: String) -> String? {
        guard let first = path.first, first == "~" || first == "$" else { return nil }
        return "is \"\(path.asShown)\", and no shell fills its \(first): write the whole path, "
            + "or \"./\(path.asShown)\" for a name that begins so"
    }
}
