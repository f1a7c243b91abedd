/// Failed ends of attempts that the settings of retries name: some exit statuses, or all ends for one reason (RT2).
@_spi(Baton) public enum EndCondition: Hashable, Sendable, CustomStringConvertible {
    /// The exit statuses of a range.
    case statuses(ClosedRange<Int32>)
    /// Every end for a reason.
    case reason(Reason.Code)

    /// The exit statuses that can be named: 0 is no failure, and a process has no others.
    public static let allowedStatuses: ClosedRange<Int32> = 1...255

    /// The reasons that can be named: those for which an attempt fails, and not its worker.
    public static let reasons: [Reason.Code] = [.exit, .signal, .timeout, .memory, .launch, .result, .files, .error]

    /// The most conditions of one setting.
    public static let maximumCount = 100

    /// The forms of statuses, for the end of an error's sentence.
    public static let statusForms =
        "a number from \(allowedStatuses.lowerBound) to \(allowedStatuses.upperBound), or a range such as 64-66"

    /// The forms of conditions, for the end of an error's sentence.
    public static let forms =
        "an exit status such as 75, a range such as 64-66, \(OptionForm.choice(of: reasons.map(\.rawValue)))"

    /// Reads a condition such as `75`, `64-66` or `timeout`; nil for a text of another form.
    public init?(_ text: String) {
        if let reason = Self.reasons.first(where: { $0.rawValue == text }) {
            self = .reason(reason)
            return
        }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let isNumber = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        guard isNumber, parts.count <= 2, let first = parts.first.flatMap({ Int32($0) }),
            let last = parts.last.flatMap({ Int32($0) }), first <= last,
            Self.allowedStatuses.contains(first), Self.allowedStatuses.contains(last)
        else { return nil }
        self = .statuses(first...last)
    }

    /// The text that ``init(_:)`` reads.
    public var description: String {
        switch self {
        case .reason(let reason): reason.rawValue
        case .statuses(let range):
            range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
        }
    }

    /// Whether the condition names an attempt's end.
    ///
    /// - Parameters:
    ///   - reason: the reason for which the attempt failed.
    ///   - status: the exit status, if the attempt exited.
    public func holds(for reason: Reason.Code, exitStatus status: Int32?) -> Bool {
        switch self {
        case .reason(let named): named == reason
        case .statuses(let range): status.map { range.contains($0) } ?? false
        }
    }
}
