import CBatonZeroMQ

/// Messages whose end in memory libzmq reports.
@_spi(Baton) extension Socket {
    /// Sends a message of one frame to a peer of a ROUTER, and reports when libzmq frees the message.
    ///
    /// The call never waits, and copies the bytes.
    ///
    /// - Parameter onFree: called exactly once if the result is ``SendResult/sent``: after the message was passed
    ///   to the system or dropped with its connection; with CURVE, already after the message was encrypted, which libzmq
    ///   does for one message of a connection ahead of the system. An error after an accepted address may also call it. Any thread
    ///   may call it, also before `send` returns, so it must be quick and call nothing of this socket.
    /// - Throws: `ZeroMQError` if the socket is closed, the context terminated, or no memory is left.
    /// - Complexity: O(`body.count`), with three allocations.
    public func send(
        _ body: [UInt8],
        to peer: RoutingID,
        onFree: @escaping @Sendable () -> Void
    ) throws(ZeroMQError) -> SendResult {
        try lend(LentBytes(copying: body, onFree: onFree), to: peer)
    }

    /// Sends a message of one frame to a peer of a ROUTER without a copy, and reports when libzmq frees the message.
    ///
    /// The call never waits.
    ///
    /// - Parameter onFree: called exactly once if the result is ``SendResult/sent``, as for a message of bytes.
    /// - Throws: `ZeroMQError` if the socket is closed, the context terminated, or no memory is left.
    /// - Complexity: O(1), with three allocations.
    public func send(
        _ filled: FilledBytes,
        to peer: RoutingID,
        onFree: @escaping @Sendable () -> Void
    ) throws(ZeroMQError) -> SendResult {
        try lend(LentBytes(filled, onFree: onFree), to: peer)
    }

    /// Passes a received message on to a peer of a ROUTER, and reports when libzmq frees the message.
    ///
    /// The call never waits. The bytes of a long message are not copied, whatever socket has received them.
    ///
    /// - Parameter onFree: called exactly once if the result is ``SendResult/sent``, as for a message of bytes.
    /// - Throws: `ZeroMQError` if the socket is closed, the context terminated, or no memory is left.
    /// - Complexity: O(1) for a long message, with three allocations.
    public func send(
        _ passed: PassedMessage,
        to peer: RoutingID,
        onFree: @escaping @Sendable () -> Void
    ) throws(ZeroMQError) -> SendResult {
        try lend(LentBytes(of: passed, onFree: onFree), to: peer)
    }

    /// Sends a message of one frame from a DEALER or a PAIR, and reports when libzmq frees the message.
    ///
    /// The call never waits, and copies the bytes.
    ///
    /// - Parameter onFree: called exactly once if the result is ``SendResult/sent``, as for a message to a peer of a ROUTER.
    /// - Throws: `ZeroMQError` if the socket is closed, the context terminated, or no memory is left.
    /// - Complexity: O(`body.count`), with three allocations.
    public func send(_ body: [UInt8], onFree: @escaping @Sendable () -> Void) throws(ZeroMQError) -> SendResult {
        try lend(LentBytes(copying: body, onFree: onFree), to: nil)
    }

    /// Hands libzmq bytes that it does not copy.
    ///
    /// - Parameter peer: the receiver behind a ROUTER; nil for the peer of another socket.
    private func lend(_ lent: LentBytes, to peer: RoutingID?) throws(ZeroMQError) -> SendResult {
        var message = zmq_msg_t()
        let box = Unmanaged.passRetained(lent)
        // Before the address is sent: after an accepted address, the ROUTER waits for the message.
        let made = zmq_msg_init_data(
            &message,
            lent.bytes.baseAddress,
            lent.bytes.count,
            { _, box in
                guard let box else { return }
                Unmanaged<LentBytes>.fromOpaque(box).takeRetainedValue().free()
            },
            box.toOpaque()
        )
        guard made == 0 else {
            box.release()
            throw .last("zmq_msg_init_data")
        }
        if let peer {
            // A ROUTER may refuse an address, but never the frames after an accepted address.
            let code = peer.withUnsafeBytes { push($0, isLast: false) }
            guard code == 0 else { return try takeBack(lent, in: &message, because: code) }
        }
        noteCall()
        while zmq_msg_send(&message, handle, ZMQ_DONTWAIT) == -1 {
            let code = zmq_errno()
            if code == EINTR { continue }
            return try takeBack(lent, in: &message, because: code)
        }
        return .sent
    }

    /// Frees a message that libzmq has not accepted, without a report.
    private func takeBack(
        _ lent: LentBytes,
        in message: inout zmq_msg_t,
        because code: Int32
    ) throws(ZeroMQError) -> SendResult {
        lent.takeBack()
        zmq_msg_close(&message)
        return try result(of: code)
    }
}
