/// The identities of a job's trace: of its root span, and of the span of each attempt.
///
/// All are derived from the record, the job, the operation and the attempt. Whoever computes them gets the same: the worker for the
/// environment of an attempt, the coordinator for documents, and `baton otlp` for the spans, however often it exports them. The
/// derivation must therefore never change.
@_spi(Baton) public struct JobTrace: Hashable, Sendable {
    /// The root span, which stands for the whole job.
    public let root: TraceContext
    /// The span that the job was submitted from; nil for a job that begins a trace of its own.
    public let parent: TraceContext?

    /// Derives the trace of a job.
    ///
    /// - Parameters:
    ///   - job: the job.
    ///   - record: the incarnation of the record's first start, which no other record has, except for its copies.
    ///   - parent: the span that the job was submitted from, whose trace is then that of the job.
    public init(of job: JobNumber, in record: Incarnation, parent: TraceContext?) {
        let trace =
            parent?.trace
            ?? TraceID(
                hashed: Self.hash(.upperTrace, record.rawValue, UInt64(job.rawValue)),
                Self.hash(.lowerTrace, record.rawValue, UInt64(job.rawValue))
            )
        let span = SpanID(hashed: Self.hash(.root, record.rawValue, UInt64(job.rawValue)))
        self.init(root: TraceContext(trace: trace, span: span), parent: parent)
    }

    /// Describes the trace of a job by its root span.
    public init(root: TraceContext, parent: TraceContext?) {
        self.root = root
        self.parent = parent
    }

    /// The span of an attempt; attempt 0 is that of an operation that never started.
    ///
    /// - Parameters:
    ///   - attempt: the number of the attempt, from 1.
    ///   - operation: the index of the operation in its job.
    public func span(ofAttempt attempt: UInt32, of operation: UInt32) -> SpanID {
        SpanID(hashed: Self.hash(.attempt, root.span.rawValue, UInt64(operation) << 32 | UInt64(attempt)))
    }

    /// The context of an attempt, as its commands get it.
    public func context(ofAttempt attempt: UInt32, of operation: UInt32) -> TraceContext {
        TraceContext(trace: root.trace, span: span(ofAttempt: attempt, of: operation))
    }

    /// The context of the span in which the worker of an attempt fetches files.
    public func context(ofFetchFor attempt: UInt32, of operation: UInt32) -> TraceContext {
        let hash = Self.hash(.fetch, root.span.rawValue, UInt64(operation) << 32 | UInt64(attempt))
        return TraceContext(trace: root.trace, span: SpanID(hashed: hash))
    }

    /// What a hash is for, so that equal numbers give different identities.
    private enum Purpose: UInt64 {
        case upperTrace = 1
        case lowerTrace, root, attempt, fetch
    }

    private static func hash(_ purpose: Purpose, _ first: UInt64, _ second: UInt64) -> UInt64 {
        var mixer = SplitMix(seed: purpose.rawValue)
        for number in [first, second] { mixer = SplitMix(seed: mixer.next() ^ number) }
        return mixer.next()
    }
}
