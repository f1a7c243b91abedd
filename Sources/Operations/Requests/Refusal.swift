/// The reason for refusing a request; no part of the request took effect, unless its code is ``Code/unanswered``.
@_spi(Baton) public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of refusal; a script finds the name in `error.code`.
    ///
    /// A later version may have further codes, and a peer of a later version may send them.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The dependencies form a cycle (DE16).
        public static let cycle = Code(rawValue: "cycle")
        /// The target of a dependency does not exist.
        public static let unknownDependency = Code(rawValue: "unknownDependency")
        /// Two entries have the same name.
        public static let duplicateName = Code(rawValue: "duplicateName")
        /// The request itself makes no sense: a negative limit, a bad name, a broken graph file.
        public static let invalid = Code(rawValue: "invalid")
        /// No such job, operation, queue or worker.
        public static let notFound = Code(rawValue: "notFound")
        /// The operation's output or result is not available (any more).
        public static let unavailable = Code(rawValue: "unavailable")
        /// The coordinator cannot store the data.
        public static let storage = Code(rawValue: "storage")
        /// The requested data is in the record, but damaged.
        public static let damaged = Code(rawValue: "damaged")
        /// The peers do not speak the same version of the protocol.
        public static let incompatible = Code(rawValue: "incompatible")
        /// A worker, or the disk of the record, did not give a necessary answer in time; the request may yet take effect.
        public static let unanswered = Code(rawValue: "unanswered")
        /// A wait that could never end (WA3).
        public static let deadlock = Code(rawValue: "deadlock")
        /// The key of the connection does not permit the request, or was revoked.
        public static let notAllowed = Code(rawValue: "notAllowed")
        /// Another submission has the key (D13).
        public static let keyConflict = Code(rawValue: "keyConflict")
        /// The job was retried already, and the request does not permit another retry (D11).
        public static let retried = Code(rawValue: "retried")
        /// No worker that is present can ever take an operation of the submission (D16).
        public static let unplaceable = Code(rawValue: "unplaceable")
        /// The coordinator does not keep the files of a submission, which have to be sent first.
        public static let unsentFiles = Code(rawValue: "unsentFiles")
        /// A fault of Baton's own.
        public static let fault = Code(rawValue: "fault")

        /// The name of the code.
        public let rawValue: String

        /// Names a code.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// The kind of refusal.
    public var code: Code
    /// The event and its subject, in a sentence or two, without advice for a user of the command line.
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
