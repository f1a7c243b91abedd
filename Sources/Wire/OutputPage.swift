/// A page of the outputs of a job.
@_spi(Baton) public struct OutputPage: Hashable, Sendable {
    /// About the most bytes of output of a page; the last piece may exceed it.
    public static let maximumLength = 256 << 10
    /// The most attempts of a page.
    public static let mostAttempts = 2_000

    /// The recorded output of one stream of an attempt.
    public struct Piece: Hashable, Sendable {
        /// The index of the operation.
        public var operation: UInt32
        /// The number of the attempt.
        public var attempt: UInt32
        /// The stream.
        public var stream: OutputStream
        /// Where the bytes start in the stream; the stream ends with the bytes.
        public var offset: UInt64
        /// Whether nothing is missing in front of the bytes that the selection wants.
        ///
        /// Otherwise the request ``Request/log(_:attempt:_:offset:limit:)`` may get more from the worker.
        public var isWhole: Bool
        /// The bytes.
        public var bytes: [UInt8]

        /// Describes a piece of output.
        public init(
            operation: UInt32,
            attempt: UInt32,
            stream: OutputStream,
            offset: UInt64,
            isWhole: Bool,
            bytes: [UInt8]
        ) {
            self.operation = operation
            self.attempt = attempt
            self.stream = stream
            self.offset = offset
            self.isWhole = isWhole
            self.bytes = bytes
        }

        /// Stands for the output of an attempt that was lost with its worker: a piece of which nothing is known.
        ///
        /// An earlier client takes it for a piece without bytes, and prints nothing.
        public static func lost(operation: UInt32, attempt: UInt32, _ stream: OutputStream) -> Piece {
            Piece(operation: operation, attempt: attempt, stream: stream, offset: 0, isWhole: false, bytes: [])
        }

        /// Whether the piece stands for output that was lost with its worker.
        public var isLost: Bool { !isWhole && offset == 0 && bytes.isEmpty }
    }

    /// An operation that was executing at the moment of the request; its output is with its worker.
    public struct Execution: Hashable, Sendable {
        /// The index of the operation.
        public var operation: UInt32
        /// The number of the attempt.
        public var attempt: UInt32

        /// Describes an execution.
        public init(operation: UInt32, attempt: UInt32) {
            self.operation = operation
            self.attempt = attempt
        }
    }

    /// A place among the attempts of a job's operations, in the order of a page.
    public struct Position: Hashable, Sendable {
        /// The index of the operation.
        public var operation: UInt32
        /// The attempts of the operation up to this number come before the position.
        public var afterAttempt: UInt32

        /// Describes a position.
        public init(operation: UInt32, afterAttempt: UInt32 = 0) {
            self.operation = operation
            self.afterAttempt = afterAttempt
        }
    }

    /// The pieces, in the order of operations, attempts and streams.
    public var pieces: [Piece]
    /// The wanted operations before ``next`` that were executing, in order.
    public var executions: [Execution]
    /// Where the next page begins; nil on the last page.
    public var next: Position?

    /// Puts a page together.
    public init(pieces: [Piece] = [], executions: [Execution] = [], next: Position? = nil) {
        self.pieces = pieces
        self.executions = executions
        self.next = next
    }
}
