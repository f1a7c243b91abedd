extension Socket {
    /// The next event on the receiving end of a monitor, or nil if none waits.
    ///
    /// A message of another form is passed over.
    func receiveEvent() throws(ZeroMQError) -> (number: UInt16, value: UInt32, endpoint: String)? {
        while let head = try receiveFrame() {
            // A 16-bit number and a 32-bit value in the host's order, then a frame with the endpoint.
            let event = head.withUnsafeBytes { bytes -> (number: UInt16, value: UInt32)? in
                guard bytes.count >= 6 else { return nil }
                return (
                    bytes.loadUnaligned(as: UInt16.self), bytes.loadUnaligned(fromByteOffset: 2, as: UInt32.self)
                )
            }
            guard head.hasMore, let tail = try receiveFrame(), let event else { continue }
            return (event.number, event.value, tail.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
        }
        return nil
    }
}
