/// Bounds on what crosses the network, beside those that the values state themselves.
public enum WireLimits {
    /// The most bytes of one message, 128 MiB; also what a socket is told as its `ZMQ_MAXMSGSIZE`.
    ///
    /// A submission is one message (QU4), and a million entries with names and dependencies of their own take 20 to 60 MB
    /// of it.
    public static let maximumMessageLength = 128 << 20

    /// The most bytes of a request that is no submission, 1 MiB: a client may have many of them open.
    public static let maximumQuestionLength = 1 << 20

    /// The most jobs and operations that one request names, unless it is a submission: each is looked up in the record.
    public static let maximumAddressCount = 10_000

    /// About the most memory that what a message says may take, 1 GiB.
    ///
    /// Usual messages need six times their length. A million entries with commands of their own take about half of it.
    public static let maximumDecodedLength = 1 << 30

    /// The most bytes of a host's name, or of the name of a file in `BATON_INPUTS`.
    public static let maximumFileNameLength = 255

    /// The most bytes of what an operation says along with its progress.
    public static let maximumProgressMessageLength = 1024

    /// The most bytes that the error of a Swift operation describes itself in.
    public static let maximumErrorLength = 4096

    /// The most types of Swift operations that a worker runs.
    public static let maximumTypeCount = 1024

    /// The most bytes in which a peer names its build.
    ///
    /// It is part of the hello's stable beginning and never changes.
    public static let maximumBuildLength = 200
}
