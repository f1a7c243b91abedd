@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

/// What operations ask of their workers, in a graph file.
extension GraphBuilder {
    /// A number of processors, in thousandths; 0 takes none, whatever `defaults` ask for.
    func processors(at node: Int) throws(GraphFileError) -> Int64 {
        let range = "from 0 to \(Thousandths.text(of: ResourceRequest.maximumCPUs))"
        guard tree.nodes[node].kind == .number else { throw wrongType("a number of processors", at: node) }
        let number = tree.number(at: node) * 1000
        guard number >= 0, number <= Double(ResourceRequest.maximumCPUs) else {
            throw error("expected a number of processors \(range)", at: node)
        }
        let thousandths = Int64(number + 0.5)
        guard abs(Double(thousandths) - number) < 0.001 else {
            throw error("a number of processors has at most three digits after the point", at: node)
        }
        return thousandths
    }

    /// A number of bytes: a text such as `512M`, or a whole number from 1 MiB on; 0 takes none, whatever `defaults` ask for.
    func size(at node: Int) throws(GraphFileError) -> Int64 {
        let (expected, least) = (ResourceRequest.memoryForms, ResourceRequest.leastMemory)
        let bytes: Int64
        var hasUnit = false
        if tree.nodes[node].kind == .number {
            bytes = Int64(try integer(at: node, expected, in: 0...Int(ByteSize.maximum)))
        } else {
            let text = try string(at: node, ByteSize.forms)
            guard let size = ByteSize.value(of: text) else { throw error("expected \(expected)", at: node) }
            bytes = size
            hasUnit = Int64(text) == nil
        }
        if !hasUnit, let objection = ByteSize.objection(toNumber: bytes, from: least) {
            throw error(objection, at: node)
        }
        guard bytes == 0 || bytes >= least else { throw error("expected \(expected)", at: node) }
        return bytes
    }

    /// A range of an option's values; nil for a value that is none.
    func range(of option: OperationOption, at node: Int) throws(GraphFileError) -> OptionRange? {
        guard tree.nodes[node].kind == .string else { return nil }
        let text = try string(at: node)
        guard OptionRange.isRange(text) else { return nil }
        guard let range = OptionRange(text, option.form) else {
            throw error("expected \(OptionRange.expectation(of: option.form)), found \"\(text.asShown)\"", at: node)
        }
        return range
    }

    /// Adds resources to the resources from `defaults`.
    func amounts(at node: Int, adding present: [String: Int64]) throws(GraphFileError) -> [String: Int64] {
        var amounts = present
        guard tree.nodes[node].kind == .object else { throw wrongType("an object with numbers", at: node) }
        for member in tree.keys(of: node) {
            let name = try string(at: member)
            guard ResourceName.isValid(name) else {
                throw error("\"\(name.asShown)\" is not a resource's name: \(ResourceName.rule)", at: member)
            }
            let range = 1...ResourceName.maximumAmount
            amounts[name] = Int64(
                try integer(at: member + 1, OptionForm.text(of: range), in: 1...Int(ResourceName.maximumAmount))
            )
        }
        return amounts
    }

    /// Conditions for the ends of attempts, as texts: an array of numbers and texts, or a single one; a text may have several
    /// conditions, as on the command line.
    func ends(at node: Int, _ option: OperationOption) throws(GraphFileError) -> [String] {
        let nodes = tree.nodes[node].kind == .array ? Array(tree.elements(of: node)) : [node]
        var ends: [String] = []
        for element in nodes {
            var texts: [String]
            if tree.nodes[element].kind == .number {
                let statuses = EndCondition.allowedStatuses
                let range = Int(statuses.lowerBound)...Int(statuses.upperBound)
                texts = [String(try integer(at: element, EndCondition.statusForms, in: range))]
            } else {
                let text = try string(at: element, "an array of exit statuses and reasons")
                texts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            }
            if let objection = option.form.objection(to: .texts(texts)) {
                throw error("the \(option.noun) \(objection)", at: element)
            }
            texts = texts.compactMap { EndCondition($0)?.description }
            ends += texts
        }
        if let objection = option.form.objection(to: .texts(ends)) {
            throw error("the \(option.noun) \(objection)", at: node)
        }
        return ends
    }

    /// Conditions for labels, as texts: an array, or a single text.
    func conditions(at node: Int) throws(GraphFileError) -> [String] {
        let nodes = tree.nodes[node].kind == .array ? Array(tree.elements(of: node)) : [node]
        var texts: [String] = []
        for element in nodes {
            let text = try string(at: element, "an array of conditions in quotes")
            guard let condition = LabelCondition(text) else {
                throw error("\"\(text.asShown)\" is not a condition: \(LabelCondition.forms)", at: element)
            }
            texts.append(condition.description)
        }
        return texts
    }
}
