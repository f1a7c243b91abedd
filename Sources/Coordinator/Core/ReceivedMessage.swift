@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// A decoded message, or the error of the decoding.
///
/// Any thread may decode a message, since decoding does not depend on the cluster's state.
package struct ReceivedMessage: Sendable {
    /// The content of the message.
    let content: Result<Incoming, WireError>
    /// The number of a request that cannot be decoded; nil for any other message.
    let request: UInt64?
    /// The validated submission or addition in the message, or its refusal by the validation; nil for any other message.
    let submission: Result<ValidatedSubmission, Refusal>?
    /// The length of the message in bytes.
    let length: Int

    /// The least length of a large request: decoding this many bytes takes about a millisecond.
    static let leastLargeLength = 64 << 10
    /// Whether the message is large.
    var isLarge: Bool { length >= Self.leastLargeLength }

    /// Decodes a message.
    ///
    /// - Parameter bytes: the message, valid or not.
    /// - Complexity: O(length).
    package init(decoding bytes: UnsafeRawBufferPointer) {
        length = bytes.count
        var checked: Result<ValidatedSubmission, Refusal>?
        do throws(WireError) {
            var message = try Incoming(decoding: bytes)
            if case .client(.request(let number, .submit(var submission))) = message {
                if submission.key != nil { submission.keyDigest = submission.digest }
                let outcome = Result { () throws(Refusal) in try ValidatedSubmission(submission) }
                if case .failure = outcome {
                    // Only the key and the digest still matter. The large parts are freed here, off the coordinator's thread:
                    // freeing a million operations takes 100 ms.
                    submission.entries = []
                    submission.templates = []
                }
                message = .client(.request(number, .submit(submission)))
                checked = outcome
            }
            if case .client(.request(let number, .add(var submission, let job))) = message {
                if submission.key != nil { submission.keyDigest = submission.digest }
                checked = Result { () throws(Refusal) in try ValidatedSubmission(addition: submission) }
                // The validated submission has the operations.
                submission.entries = []
                submission.templates = []
                message = .client(.request(number, .add(submission, to: job)))
            }
            content = .success(message)
            request = nil
        } catch {
            content = .failure(error)
            request = ClientMessage.requestNumber(of: bytes)
        }
        submission = checked
    }
}
