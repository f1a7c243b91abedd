import BatonOperations
import BatonWire

/// A message that was read, or could not be; it may be read on any thread, as it says nothing about the cluster.
package struct ReceivedMessage: Sendable {
    /// What it says.
    let content: Result<Incoming, WireError>
    /// The number of the request that it is, also where the rest of it cannot be read; nil where it is none.
    let request: UInt64?
    /// The submission in it, or why it is refused whatever the cluster is like; nil where it is none.
    let submission: Result<ValidatedSubmission, Refusal>?
    /// How many bytes it had.
    let length: Int

    /// From how many bytes on a request is large: reading so much takes about a millisecond.
    static let leastLargeLength = 64 << 10
    /// Whether it is a large one.
    var isLarge: Bool { length >= Self.leastLargeLength }

    /// Reads a message.
    ///
    /// - Parameter bytes: what was sent, whatever it is.
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
                    // Its key and the digest are all that still matters. What is large is freed here: beside the
                    // coordinator's thread, which takes 100 ms for a million operations.
                    submission.entries = []
                    submission.templates = []
                }
                message = .client(.request(number, .submit(submission)))
                checked = outcome
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
