/// The comment of a job in the batch system, which names the supply, the worker and the submission.
///
/// The comment is on disk before the submission: a supply that finds the comment in the list of jobs knows that the submission has arrived.
@_spi(Baton) public struct SupplyComment: Hashable, Sendable {
    /// The name of the supply.
    public var supply: String
    /// The number of the worker, from 1: workers of a supply that live at the same time have different numbers.
    public var number: Int
    /// The mark that distinguishes the submission from all other submissions.
    public var mark: String

    /// Describes a submission.
    public init(supply: String, number: Int, mark: String) {
        self.supply = supply
        self.number = number
        self.mark = mark
    }

    /// The comment as text, such as `baton slurm 3 9f20c1`.
    public var text: String { "baton \(supply) \(number) \(mark)" }

    /// Reads a comment; nil for a comment that no supply has written.
    public init?(_ text: some StringProtocol) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 4, words[0] == "baton", !words[1].isEmpty, !words[3].isEmpty,
            let number = Int(words[2]), number > 0, words[2] == "\(number)"
        else { return nil }
        self.init(supply: String(words[1]), number: number, mark: String(words[3]))
    }
}
