/// One of the five fields of a cron expression.
struct CronField: Hashable, Sendable {
    /// What the field is about, for messages.
    let noun: String
    /// The allowed numbers.
    let range: ClosedRange<Int>
    /// The names of numbers, in small letters, the first of them for ``firstNamed``.
    var names: [String] = []
    /// The number of the first name.
    var firstNamed = 0

    /// The minute of the hour.
    static let minute = CronField(noun: "minute", range: 0...59)
    /// The hour of the day.
    static let hour = CronField(noun: "hour", range: 0...23)
    /// The day of the month.
    static let day = CronField(noun: "day of the month", range: 1...31)
    /// The month.
    static let month = CronField(
        noun: "month",
        range: 1...12,
        names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
        firstNamed: 1
    )
    /// The day of the week; 0 and 7 are both Sunday.
    static let weekday = CronField(
        noun: "day of the week",
        range: 0...7,
        names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    )

    /// The numbers that a text names, each as a bit.
    ///
    /// - Throws: ``Refusal`` `invalid` for a text of another form.
    func numbers(in text: Substring) throws(Refusal) -> UInt64 {
        var bits: UInt64 = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pieces = part.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            let named = pieces[0]
            var step = 1
            if pieces.count == 2 {
                guard let number = Self.number(pieces[1]), number > 0 else {
                    throw refusal(part, "a step is a number from 1 on")
                }
                guard named == "*" || named.contains("-") else {
                    throw refusal(part, "a step follows * or a range, as in \(range.lowerBound)-\(range.upperBound)/5")
                }
                step = number
            }
            for number in stride(from: try first(of: named, part), through: try last(of: named, part), by: step) {
                bits |= 1 << UInt64(number)
            }
        }
        // Sunday has two numbers.
        if self == .weekday, bits & 1 << 7 != 0 { bits = bits & ~(1 << 7) | 1 }
        return bits
    }

    private func first(of named: Substring, _ part: Substring) throws(Refusal) -> Int {
        if named == "*" { return range.lowerBound }
        let ends = named.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        return try value(of: ends[0], part)
    }

    private func last(of named: Substring, _ part: Substring) throws(Refusal) -> Int {
        // The second number of Sunday would come twice in steps.
        if named == "*" { return self == .weekday ? 6 : range.upperBound }
        let ends = named.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let first = try value(of: ends[0], part)
        guard ends.count == 2 else { return first }
        var last = try value(of: ends[1], part)
        // A range such as fri-sun ends with the second number of Sunday.
        if self == .weekday, last == 0, first > 0 { last = 7 }
        guard first <= last else { throw refusal(part, "a range begins with its lower end") }
        return last
    }

    private func value(of text: Substring, _ part: Substring) throws(Refusal) -> Int {
        if let position = names.firstIndex(of: text.lowercased()) { return firstNamed + position }
        guard let number = Self.number(text), range.contains(number) else {
            let orName = names.isEmpty ? "" : ", or a name such as \(names[0])"
            throw refusal(part, "the \(noun) is a number from \(range.lowerBound) to \(range.upperBound)\(orName)")
        }
        return number
    }

    private func refusal(_ part: Substring, _ rule: String) -> Refusal {
        Refusal(.invalid, "\"\(String(part).asShown)\" is not allowed for the \(noun) of a schedule: \(rule).")
    }

    private static func number(_ text: Substring) -> Int? {
        // Int reads signs too.
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}
