/// Limits for messages between processes, beside the limits that the values state themselves.
@_spi(Baton) public enum WireLimits {
    /// The most bytes of one message, 128 MiB; also the value of a socket's `ZMQ_MAXMSGSIZE`.
    ///
    /// A submission is one message (QU4), and a million entries with names and dependencies of their own take 20 to 60 MB.
    public static let maximumMessageLength = 128 << 20

    /// The most bytes of a worker's message, 32 MiB.
    ///
    /// A worker divides what it reports into messages of about 4 MiB. The longest message is the hello of a worker with hundreds of
    /// thousands of results that nobody has acknowledged.
    public static let maximumWorkerMessageLength = 32 << 20

    /// The most attempts in each list of a worker's report: as many ends as the length of a report allows at least.
    ///
    /// The coordinator handles a message as a whole, and everybody else waits meanwhile.
    public static let maximumReportedAttempts = 1 << 16

    /// The most bytes of a request other than a submission, 1 MiB: a client may have many requests open.
    public static let maximumQuestionLength = 1 << 20

    /// The most jobs and operations in one request other than a submission: each is looked up in the record.
    public static let maximumAddressCount = 10_000

    /// The approximate most memory for the content of a message, 1 GiB.
    ///
    /// Usual messages need six times their length. A million entries with commands of their own take about half of the limit.
    public static let maximumDecodedLength = 1 << 30

    /// The most bytes of a host's name, or of the name of a file in `BATON_INPUTS`.
    public static let maximumFileNameLength = 255

    /// The most bytes of the text in a progress report.
    public static let maximumProgressMessageLength = 1024

    /// The most bytes of the description of a Swift operation's error.
    public static let maximumErrorLength = 4096

    /// The most bytes that are kept of a worker's sentence about a fault or an end; the rest of a longer one is cut off.
    ///
    /// Such a sentence goes into the record and into every list of workers.
    public static let maximumSentenceLength = 1024

    /// The most bytes of a message with a piece of a file: the piece, and the numbers in front of it.
    public static let maximumPieceLength = FilePiece.maximumLength + pieceOverhead

    /// The most bytes of a message with a piece of a file that are not those of the file.
    public static let pieceOverhead = 64

    /// The most bytes of a worker's request to another one for a piece of a file.
    public static let maximumDirectRequestLength = 256

    /// The most digests in one message about the files that a worker keeps.
    public static let maximumHeldFiles = 10_000

    /// The most types of Swift operations of one worker.
    public static let maximumTypeCount = 1024

    /// The most bytes of the name of a peer's build.
    ///
    /// The name is part of the hello's stable beginning, and its limit never changes.
    public static let maximumBuildLength = 200
}
