/// The reason for refusing a request; no part of the request took effect.
public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of refusal; a script finds the name in `error.code`.
    public enum Code: String, Sendable, CaseIterable {
        /// The dependencies form a cycle (DE16).
        case cycle
        /// The target of a dependency does not exist.
        case unknownDependency
        /// Two entries have the same name.
        case duplicateName
        /// The request itself makes no sense: a negative limit, a bad name, a broken graph file.
        case invalid
        /// No such job, operation, queue or worker.
        case notFound
        /// The operation's output or result is not available (any more).
        case unavailable
        /// The coordinator cannot store the data.
        case storage
        /// The requested data is in the record, but damaged.
        case damaged
        /// The peers do not speak the same version of the protocol.
        case incompatible
        /// A worker did not give a necessary answer in time.
        case unanswered
        /// A wait that could never end (WA3).
        case deadlock
        /// A fault of Baton's own.
        case fault
    }

    /// The kind of refusal.
    public var code: Code
    /// The event, its subject and the remedy, in a sentence or two.
    public var message: String
    /// The path of a cycle or of an endless wait, with the first name again at the end; else empty.
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
