@_spi(Baton) package import BatonOperations

extension OperationOption {
    /// Values of the option, all different from the default: the ends of the range, and values in an unusual form.
    package var samples: [OptionValue] {
        let all: [OptionValue] =
            switch form {
            case .flag: [.flag(true)]
            case .number(let range): [.number(range.lowerBound), .number(range.upperBound)]
            case .word(let words): words.map(OptionValue.text)
            case .priority: Priority.allCases.map { .number(Int64($0.rawValue)) }
            case .duration: [.duration(.zero), .duration(.microseconds(1500)), .duration(.longestAllowed)]
            case .timeLimit: [.duration(.microseconds(1)), .duration(.seconds(90)), .duration(.longestAllowed)]
            case .durationOrForever: [.forever, .duration(.zero), .duration(.seconds(61))]
            case .deadline:
                [.duration(.seconds(7200)), .duration(.microseconds(7_200_000_001)), .duration(.longestAllowed)]
            case .directory, .file: [.text("/tmp/a b"), .text("/é")]
            case .outputFile: [.text("logs/{job}/{index}.out"), .text(">>/tmp/é")]
            case .data: [.data([]), .data(Array("a line\n".utf8))]
            case .columns: [.texts(["lr", "", "a b"]), .texts(["2"])]
            case .command: [.texts(["/bin/sh", "-c", "echo \"it's\""])]
            case .processors: [.thousandths(1), .thousandths(1500), .thousandths(ResourceRequest.maximumCPUs)]
            case .size: [.bytes(ResourceRequest.leastMemory), .bytes(512 << 20), .bytes(ByteSize.maximum)]
            case .amounts: [.amounts(["gpu": 2]), .amounts(["B.1": 1, "a-2": ResourceName.maximumAmount])]
            case .conditions: [.texts(["zone=a", "zone!=b"]), .texts(["arch in (x,y)"])]
            case .ends: [.texts(["75", "64-66", "timeout"]), .texts(["memory"])]
            case .statuses: [.texts(["100"]), .texts(["1", "64-255"])]
            case .mask: [.text("000"), .text("027"), .text("777")]
            case .patterns: [.texts(["*.bam", "report/"]), .texts(["logs/a?.txt?"])]
            case .picks:
                [.places(["align/*.bam": "in/"]), .places(["a=b/x?": "x.bam", "many.*/report/": "./", "é": "d/é"])]
            case .variables: [.variables(["A": ""]), .variables(["B": "x=\"y\"\n", "A": "1", "C": "é"])]
            }
        return all.filter { $0 != defaultValue }
    }

    /// A template with an entry that have all options set, each to one of its samples.
    package static func allSet(choosing choice: Int = 0) -> (template: Template, entry: Entry) {
        var template = Template(work: Work(.commands([["true"]])))
        var entry = Entry()
        // An operation has one of the two, in each case, and picks inputs into a workspace alone.
        let leftOut = choice % 2 == 0 ? ["input", "workspace", "inputs"] : ["stdin", "cwd"]
        for option in all where !option.samples.isEmpty && !leftOut.contains(option.key) {
            option.set(option.samples[choice % option.samples.count], in: &template, &entry)
        }
        // A delay that lasts until the deadline is refused.
        if let delay = entry.delay, let deadline = template.deadline, delay >= deadline {
            entry.delay = .microseconds(1)
        }
        return (template, entry)
    }
}
