/// What a user types in place of addresses in the arguments of a command: `12/3`, `last`, `nightly/sepia`, `12/test-*`,
/// `12/[3-9,20]`.
///
/// A pattern may stand for several addresses, and for others tomorrow; dependencies therefore take addresses alone.
@_spi(Baton) public struct AddressPattern: Hashable, Sendable {
    /// A job.
    public enum Job: Hashable, Sendable {
        /// The job with a number.
        case number(JobNumber)
        /// The newest job that was submitted with the user's key.
        case last
        /// The newest job with a name.
        case named(String)
    }

    /// Operations of the job.
    public enum Part: Hashable, Sendable {
        /// The whole job.
        case all
        /// The operations in ranges of indices, in the order given.
        case indices([Range<UInt32>])
        /// The operation or array with a name.
        case name(String)
        /// The operations and arrays whose names match a pattern.
        case pattern(NameGlob)
    }

    /// The word for the newest job, which no job has as its name.
    public static let lastWord = "last"

    /// The job.
    public let job: Job
    /// The operations of the job.
    public let part: Part
    /// The text as typed.
    public let text: String

    /// Reads a pattern as users type it; nil for a text of another form.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        self.text = text
        if let number = Self.number(parts[0]) {
            guard number > 0 else { return nil }
            job = .number(JobNumber(number))
        } else if parts[0] == Self.lastWord {
            job = .last
        } else {
            let name = Name.normalized(String(parts[0]))
            // A text of digits alone is a number, possibly too large for one.
            guard let first = name.utf8.first, first != UInt8(ascii: "-"),
                !name.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                name.utf8.count <= Name.maximumLength, Name.forbiddenCharacter(in: name) == nil
            else { return nil }
            job = .named(name)
        }
        guard parts.count == 2, parts[1] != "*" else {
            part = .all
            return
        }
        guard let read = Self.part(parts[1]) else { return nil }
        part = read
    }

    /// Returns why a job's name is no address of the job, as the end of a sentence; nil for an address.
    public static func objection(toJobName name: String) -> String? {
        if name == lastWord { return "commands take \"\(lastWord)\" for the newest job" }
        guard AddressPattern(name)?.job != .named(Name.normalized(name)) else { return nil }
        return Name.forbiddenCharacter(in: name)
            ?? "a job's name has from 1 to \(Name.maximumLength) bytes, begins with no hyphen, has no slash, and is not a number alone, so "
            + "that commands find the job by it"
    }

    private static func part(_ text: Substring) -> Part? {
        if let index = number(text) { return index < UInt32.max ? .indices([index..<index + 1]) : nil }
        if text.hasPrefix("["), text.hasSuffix("]") {
            var ranges: [Range<UInt32>] = []
            for range in text.dropFirst().dropLast().split(separator: ",", omittingEmptySubsequences: false) {
                let bounds = range.split(separator: "-", omittingEmptySubsequences: false)
                guard bounds.count <= 2, let first = bounds.first.flatMap(number),
                    let last = bounds.last.flatMap(number),
                    first <= last, last < UInt32.max
                else { return nil }
                ranges.append(first..<last + 1)
            }
            return .indices(ranges)
        }
        if text.contains(where: { $0 == "*" || $0 == "?" }) {
            let isPossible = text.allSatisfy { $0 == "*" || $0 == "?" || !$0.isWhitespace && $0 != "/" }
            return isPossible && text.utf8.count <= Name.maximumLength ? .pattern(NameGlob(String(text))) : nil
        }
        return Name.isValid(text) ? .name(Name.normalized(String(text))) : nil
    }

    /// Reads a decimal number of plain digits.
    private static func number(_ text: Substring) -> UInt32? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt32(text)
    }

    /// The addresses of the part in a job; nil for a pattern of names, which the job's names decide.
    public func addresses(in job: JobNumber) -> [Address]? {
        switch part {
        case .all: [.job(job)]
        case .indices(let ranges): ranges.map { Address(job, $0) }
        case .name(let name): [.named(job, name)]
        case .pattern: nil
        }
    }
}

@_spi(Baton) extension Address {
    /// The address of consecutive operations, at least one.
    public init(_ job: JobNumber, _ range: Range<UInt32>) {
        self =
            range.count == 1 ? .operation(OperationID(job: job, index: range.lowerBound)) : .operations(job, range)
    }
}
