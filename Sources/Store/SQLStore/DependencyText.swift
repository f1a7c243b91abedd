@_spi(Baton) import BatonOperations

/// The text form of an entry's dependencies in a column: `any /3, success 12/4, failure 7`.
///
/// `/3` is the operation with index 3 in the same job (of an array, the first element), `12/4` an operation of another job,
/// `12/many` an array of another job, and `7` a whole job. `=/3` is the element at the same position of the array that begins with
/// index 3 in the same job, and `=12/4-9` that of operations of another job.
enum DependencyText {
    /// The target of a dependency on disk.
    enum Target: Hashable {
        /// The entry of the same job whose first operation has this index.
        case sameJob(UInt32)
        /// An operation, an array or a whole job, by its address.
        case other(Address)
        /// The element at the same position of the array of the same job whose first operation has this index.
        case sameJobElements(UInt32)
        /// The element at the same position of operations of a job.
        case otherElements(JobNumber, Range<UInt32>)
    }

    /// A dependency on disk.
    struct Item: Hashable {
        var target: Target
        var condition: DependencyCondition
    }

    /// The words of the conditions by their numbers, each with a space at the end.
    private static let words = DependencyCondition.allCases.map { Array($0.description.utf8) + [UInt8(ascii: " ")] }

    /// Appends the text of an entry's dependencies.
    ///
    /// - Parameter firsts: the index of each entry's first operation.
    static func write(
        _ dependencies: some Sequence<Dependency>,
        firsts: [UInt32],
        to text: inout [UInt8]
    ) throws(SQLError) {
        for (position, dependency) in dependencies.enumerated() {
            if position > 0 {
                text.append(UInt8(ascii: ","))
                text.append(UInt8(ascii: " "))
            }
            text.append(contentsOf: words[Int(dependency.condition.rawValue)])
            switch dependency.target {
            case .entry(let entry):
                try append(entry: entry, firsts, to: &text)
            case .existing(let address):
                text.append(contentsOf: address.description.utf8)
            case .elements(let entry):
                text.append(elementwise)
                try append(entry: entry, firsts, to: &text)
            case .existingElements(.operations(let job, let range)):
                text.append(elementwise)
                text.append(contentsOf: "\(job)/\(range.lowerBound)-\(range.upperBound - 1)".utf8)
            case .element, .existingElements:
                throw SQLError(.constraint, "a dependency on elements whose operations are not known yet")
            }
        }
    }

    /// The character before a target whose elements count one by one; no address begins with it.
    private static let elementwise = UInt8(ascii: "=")

    private static func append(entry: Int, _ firsts: [UInt32], to text: inout [UInt8]) throws(SQLError) {
        guard firsts.indices.contains(entry) else {
            throw SQLError(.constraint, "a dependency on entry \(entry), which is not in the submission")
        }
        text.append(UInt8(ascii: "/"))
        append(firsts[entry], to: &text)
    }

    /// Reads the text of an entry's dependencies.
    ///
    /// - Throws: `corrupt` for a text of another form.
    static func read(_ text: UnsafeBufferPointer<UInt8>) throws(SQLError) -> [Item] {
        var items: [Item] = []
        var position = 0
        while position < text.count {
            if position > 0 {
                guard position + 1 < text.count, text[position] == UInt8(ascii: ","),
                    text[position + 1] == UInt8(ascii: " ")
                else { throw damaged(text) }
                position += 2
            }
            guard let space = text[position...].firstIndex(of: UInt8(ascii: " ")),
                let condition = condition(text[position..<space])
            else { throw damaged(text) }
            // Addresses contain no white space, but a name may contain a comma.
            var end = space + 1
            while end < text.count, text[end] != UInt8(ascii: " ") { end += 1 }
            if end < text.count { end -= 1 }
            guard let target = target(text[min(space + 1, end)..<end]) else { throw damaged(text) }
            items.append(Item(target: target, condition: condition))
            position = end
        }
        return items
    }

    private static func condition(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> DependencyCondition? {
        DependencyCondition.allCases.first { $0.description.utf8.elementsEqual(word) }
    }

    private static func target(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Target? {
        if text.first == elementwise { return elements(text.dropFirst()) }
        guard text.first == UInt8(ascii: "/") else {
            return String(validating: text, as: UTF8.self).flatMap { Address($0) }.map { .other($0) }
        }
        return number(text.dropFirst()).map { .sameJob($0) }
    }

    private static func elements(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Target? {
        if text.first == UInt8(ascii: "/") { return number(text.dropFirst()).map { .sameJobElements($0) } }
        guard let slash = text.firstIndex(of: UInt8(ascii: "/")), let job = number(text[..<slash]), job > 0 else {
            return nil
        }
        let range = text[text.index(after: slash)...]
        guard let dash = range.firstIndex(of: UInt8(ascii: "-")), let first = number(range[..<dash]),
            let last = number(range[range.index(after: dash)...]), first <= last, last < .max
        else { return nil }
        return .otherElements(JobNumber(job), first..<last + 1)
    }

    private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt32? {
        guard !digits.isEmpty, digits.count <= 10 else { return nil }
        var index: UInt64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            index = index * 10 + UInt64(digit - 0x30)
        }
        return UInt32(exactly: index)
    }

    private static func append(_ number: UInt32, to text: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 10) { digits in
            var start = digits.count
            var rest = number
            repeat {
                start -= 1
                digits[start] = 0x30 + UInt8(rest % 10)
                rest /= 10
            } while rest > 0
            text.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }

    private static func damaged(_ text: UnsafeBufferPointer<UInt8>) -> SQLError {
        .damaged("\"\(String(decoding: text.prefix(80), as: UTF8.self))\" is no list of dependencies")
    }
}
