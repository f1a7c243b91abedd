import CBatonZeroMQ

@_spi(Baton) extension Socket {
    /// The next message, or nil if none waits; for a DEALER or a PAIR.
    ///
    /// A message of several frames is taken off whole and returned empty, with ``Message/isMalformed`` set.
    ///
    /// - Throws: `ZeroMQError` if the socket is closed or the context terminated; never because of a peer's message.
    public func receive() throws(ZeroMQError) -> Message? {
        guard let frame = try receiveFrame() else { return nil }
        return try wholeMessage(startingWith: frame)
    }

    /// The next message to a ROUTER and its sender, or nil if none waits.
    ///
    /// A message of several frames is taken off whole and returned empty, with ``Message/isMalformed`` set.
    ///
    /// - Throws: `ZeroMQError` if the socket is closed or the context terminated; never because of a peer's message.
    public func receiveRouted() throws(ZeroMQError) -> RoutedMessage? {
        guard let address = try receiveFrame() else { return nil }
        let sender = address.withUnsafeBytes { RoutingID(copying: $0) }
        // libzmq delivers messages whole: an announced frame is present.
        guard address.hasMore, let frame = try receiveFrame() else {
            return RoutedMessage(sender: sender, message: Message(malformedOf: 0))
        }
        return RoutedMessage(sender: sender, message: try wholeMessage(startingWith: frame))
    }

    /// The next frame of any message, or nil if none waits.
    func receiveFrame() throws(ZeroMQError) -> Message? {
        noteCall()
        var storage = zmq_msg_t()
        zmq_msg_init(&storage)
        while zmq_msg_recv(&storage, handle, ZMQ_DONTWAIT) == -1 {
            let code = zmq_errno()
            if code == EINTR { continue }
            zmq_msg_close(&storage)
            if code == EAGAIN {
                noteEmpty()
                return nil
            }
            throw ZeroMQError(code: code, call: "zmq_msg_recv")
        }
        return Message(adopting: storage)
    }

    /// Returns a message of a single frame; takes off the remaining frames of a longer message.
    private func wholeMessage(startingWith frame: consuming Message) throws(ZeroMQError) -> Message {
        guard frame.hasMore else { return frame }
        var frameCount = 1
        var hasMore = true
        while hasMore {
            guard let next = try receiveFrame() else { break }
            frameCount += 1
            hasMore = next.hasMore
        }
        return Message(malformedOf: frameCount)
    }
}
