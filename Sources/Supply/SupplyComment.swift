/// The comment of a job in the batch system, which tells which worker of which supply it is, and from which submission.
///
/// It is on disk before the submission: whoever finds it in the list of jobs knows that the submission has arrived.
@_spi(Baton) public struct SupplyComment: Hashable, Sendable {
    /// The name of the supply.
    public var supply: String
    /// The number of the worker, from 1: no two workers of a supply that live at once have the same.
    public var number: Int
    /// What tells this submission from all others.
    public var mark: String

    /// Describes a submission.
    public init(supply: String, number: Int, mark: String) {
        self.supply = supply
        self.number = number
        self.mark = mark
    }

    /// The comment as text, such as `baton slurm 3 9f20c1`.
    public var text: String { "baton \(supply) \(number) \(mark)" }

    /// Reads a comment; nil for one of somebody else.
    public init?(_ text: some StringProtocol) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 4, words[0] == "baton", !words[1].isEmpty, !words[3].isEmpty,
            let number = Int(words[2]), number > 0, words[2] == "\(number)"
        else { return nil }
        self.init(supply: String(words[1]), number: number, mark: String(words[3]))
    }
}
