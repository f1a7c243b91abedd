/// Why a request was not carried out; nothing of it was.
public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of refusal it is; a script finds the name in `error.code`.
    public enum Code: String, Sendable, CaseIterable {
        /// The dependencies form a cycle (DE16).
        case cycle
        /// A dependency names what does not exist.
        case unknownDependency
        /// Two entries have the same name.
        case duplicateName
        /// The request itself makes no sense: a negative limit, a bad name, a broken graph file.
        case invalid
        /// No such job, operation, queue or worker.
        case notFound
        /// The operation's output or result is not to be had (any more).
        case unavailable
        /// The coordinator cannot keep what it is asked to keep.
        case storage
        /// What was asked for stands in the record, and what stands there makes no sense.
        case damaged
        /// The peers do not speak the same version of the protocol.
        case incompatible
        /// A worker did not say in time what would have to be known.
        case unanswered
        /// A wait that could never end (WA3).
        case deadlock
        /// A fault of Baton's own.
        case fault
    }

    /// What kind of refusal it is.
    public var code: Code
    /// What happened, to what, and what to do, in a sentence or two.
    public var message: String
    /// The path of a cycle or of a wait that could never end, its first name again at the end; else empty.
    public var path: [String]

    /// Refuses a request.
    public init(_ code: Code, _ message: String, path: [String] = []) {
        self.code = code
        self.message = message
        self.path = path
    }

    /// The sentence.
    public var description: String { message }
}
