@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonOperations

/// Processors, memory and resources in the notation of the command line.
enum ResourceArgument {
    /// Reads a number of processors, in thousandths.
    ///
    /// - Parameter least: the smallest number, in thousandths.
    static func processors(_ text: String, from least: Int64) throws(ValidationError) -> Int64 {
        guard let number = Thousandths.value(of: text), (least...ResourceRequest.maximumCPUs).contains(number) else {
            throw ValidationError(
                "Please provide a number of processors such as 2 or 0.5, from \(Thousandths.text(of: least)) to "
                    + "\(Thousandths.text(of: ResourceRequest.maximumCPUs)), with at most three digits after the point."
            )
        }
        return number
    }

    /// Reads a number of bytes.
    static func size(_ text: String, from least: Int64) throws(ValidationError) -> Int64 {
        guard let bytes = ByteSize.value(of: text), bytes >= least else {
            throw ValidationError(
                "Please provide \(ByteSize.forms), from \(least) to \(ByteSize.text(of: ByteSize.maximum))."
            )
        }
        try refuseNumber(text, from: least)
        return bytes
    }

    /// Reads the memory of an operation in bytes; 0 asks for none.
    static func memory(_ text: String) throws(ValidationError) -> Int64 {
        try refuseNumber(text, from: ResourceRequest.leastMemory)
        guard let bytes = ByteSize.value(of: text), bytes == 0 || bytes >= ResourceRequest.leastMemory else {
            throw ValidationError("Please provide \(ResourceRequest.memoryForms).")
        }
        return bytes
    }

    /// Throws an error for a number of bytes without a unit that is hardly meant so.
    private static func refuseNumber(_ text: String, from least: Int64) throws(ValidationError) {
        guard let number = Int64(text), let objection = ByteSize.objection(toNumber: number, from: least) else {
            return
        }
        throw ValidationError("\(objection).")
    }

    /// Throws an error if a name is given twice, because the last one would silently replace the first.
    static func refuseDuplicates(_ names: [String], of kind: String, option: String) throws(ValidationError) {
        var seen: Set<String> = []
        for name in names where !seen.insert(name).inserted {
            throw ValidationError("The \(kind) \(name.asShown) is given twice. Give one \(option) for it.")
        }
    }

    /// Reads a condition for labels.
    static func condition(_ text: String) throws(ValidationError) -> LabelCondition {
        guard let condition = LabelCondition(text) else {
            throw ValidationError("\"\(text.asShown)\" is not a condition: \(LabelCondition.forms).")
        }
        return condition
    }

    /// Reads an amount of a resource or a shared limit, such as `gpu=2`.
    static func amount(_ text: String) throws(ValidationError) -> (name: String, amount: Int64) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if let objection = OptionForm.objection(toResource: parts[0]) {
            throw ValidationError("The resource \(objection).")
        }
        guard parts.count == 2, ResourceName.isValid(parts[0]), let amount = Int64(parts[1], radix: 10),
            (1...ResourceName.maximumAmount).contains(amount)
        else {
            throw ValidationError(
                "Please provide a name and an amount, such as gpu=2 or licence=1; the amount is "
                    + "\(OptionForm.text(of: 1...ResourceName.maximumAmount))."
            )
        }
        return (parts[0], amount)
    }
}
