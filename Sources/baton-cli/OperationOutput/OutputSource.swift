@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// One stream of an attempt.
struct OutputSource: Hashable, Sendable {
    let operation: OperationID
    let attempt: UInt32
    let stream: OutputStream

    /// The name of the stream in documents.
    var streamName: String { stream == .standardOutput ? "stdout" : "stderr" }
}
