import Operations
import Wire

/// A message that was read, or could not be; it may be read on any thread, as it says nothing about the cluster.
package struct ReceivedMessage: Sendable {
    /// What it says.
    let content: Result<Incoming, WireError>
    /// The number of the request that it is, also where the rest of it cannot be read; nil where it is none.
    let request: UInt64?
    /// Whether it is a submission that has passed all checks which need no knowledge of the cluster.
    let isChecked: Bool
    /// How many bytes it had.
    let length: Int

    /// From how many bytes on a request is large: reading so much takes about a millisecond.
    static let leastLargeLength = 64 << 10
    /// Whether it is a large one.
    var isLarge: Bool { length >= Self.leastLargeLength }

    /// Reads a message.
    ///
    /// - Parameters:
    ///   - bytes: what was sent, whatever it is.
    ///   - checksSubmission: whether to check a submission here and now.
    /// - Complexity: O(length).
    package init(decoding bytes: UnsafeRawBufferPointer, checksSubmission: Bool = false) {
        length = bytes.count
        var isChecked = false
        do throws(WireError) {
            var message = try Incoming(decoding: bytes)
            if case .client(.request(let number, .submit(var submission))) = message {
                if checksSubmission { isChecked = (try? submission.validated()) != nil }
                if submission.key != nil {
                    submission.keyDigest = submission.digest
                    message = .client(.request(number, .submit(submission)))
                }
            }
            content = .success(message)
            request = nil
        } catch {
            content = .failure(error)
            request = ClientMessage.requestNumber(of: bytes)
        }
        self.isChecked = isChecked
    }
}
