/// Elements that come over time from the cluster, in their order.
///
/// ```swift
/// for try await piece in command.output(.error) {
///     print(String(decoding: piece, as: UTF8.self), terminator: "")
/// }
/// ```
///
/// The stream goes on through a restart of the coordinator, with no element missing and none twice. Each iterator reads on
/// its own, from the beginning of the stream; a slow one slows nobody.
public struct EventStream<Element: Sendable>: AsyncSequence, Sendable {
    /// Reads the elements; not `Sendable`, as one task reads with it.
    ///
    /// Reading throws ``ClusterError`` if the coordinator cannot be asked, and `CancellationError` if the task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
        private let source: any EventSource<Element>

        fileprivate init(_ source: any EventSource<Element>) {
            self.source = source
        }

        /// The next element; nil at the end.
        public mutating func next() async throws -> Element? { try await source.next() }

        /// The next element; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            try await source.next()
        }
    }

    private let makeSource: @Sendable () -> any EventSource<Element>

    init(_ makeSource: @escaping @Sendable () -> any EventSource<Element>) {
        self.makeSource = makeSource
    }

    /// Starts to read.
    public func makeAsyncIterator() -> Iterator { Iterator(makeSource()) }
}

/// The reading of one iterator.
protocol EventSource<Element>: Sendable {
    associatedtype Element: Sendable

    /// The next element; nil at the end.
    func next() async throws -> Element?
}
