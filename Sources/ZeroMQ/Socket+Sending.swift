import CBatonZeroMQ

@_spi(Baton) extension Socket {
    /// Sends a message of one frame to a peer; from a DEALER or a PAIR.
    ///
    /// The call never waits, and copies the bytes.
    ///
    /// - Throws: `ZeroMQError` if the socket is closed or the context terminated.
    /// - Complexity: O(`body.count`), with one allocation inside libzmq above 33 bytes.
    public func send(_ body: [UInt8]) throws(ZeroMQError) -> SendResult {
        try result(of: body.withUnsafeBytes { push($0, isLast: true) })
    }

    /// Sends a message of one frame to a peer of a ROUTER.
    ///
    /// The call never waits, and copies the bytes. A missing peer is reported as ``SendResult/unroutable`` unless
    /// ``SocketOptions/isRouterMandatory`` is off.
    ///
    /// - Throws: `ZeroMQError` if the socket is closed or the context terminated.
    /// - Complexity: O(`body.count`), with one allocation inside libzmq above 33 bytes.
    public func send(_ body: [UInt8], to peer: RoutingID) throws(ZeroMQError) -> SendResult {
        let code = peer.withUnsafeBytes { push($0, isLast: false) }
        // After a refused address, the ROUTER expects a new message; after an accepted address, the ROUTER takes the
        // rest.
        guard code == 0 else { return try result(of: code) }
        return try result(of: body.withUnsafeBytes { push($0, isLast: true) })
    }

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
        // A ROUTER may refuse an address, but never the frames after an accepted address.
        let code = peer.withUnsafeBytes { push($0, isLast: false) }
        guard code == 0 else { return try result(of: code) }
        let retained = RetainedBytes(copying: body, onFree: onFree)
        var message = zmq_msg_t()
        let box = Unmanaged.passRetained(retained)
        let made = zmq_msg_init_data(
            &message,
            retained.bytes.baseAddress,
            retained.bytes.count,
            { _, box in
                guard let box else { return }
                Unmanaged<RetainedBytes>.fromOpaque(box).takeRetainedValue().onFree()
            },
            box.toOpaque()
        )
        guard made == 0 else {
            box.release()
            // The accepted address waits for its message: send the bytes as an ordinary frame.
            let code = body.withUnsafeBytes { push($0, isLast: true) }
            if code == 0 { onFree() }
            return try result(of: code)
        }
        while zmq_msg_send(&message, handle, ZMQ_DONTWAIT) == -1 {
            let code = zmq_errno()
            if code == EINTR { continue }
            zmq_msg_close(&message)
            return try result(of: code)
        }
        return .sent
    }

    /// Sends a message of several frames, whole or not at all; a ROUTER's first frame is the address.
    ///
    /// The call never waits, and copies the bytes.
    ///
    /// - Throws: `ZeroMQError` if `frames` is empty, the socket is closed, or the context terminated.
    public func send(frames: [[UInt8]]) throws(ZeroMQError) -> SendResult {
        guard !frames.isEmpty else { throw ZeroMQError(code: EINVAL, call: "zmq_send", subject: "no frames") }
        for (index, frame) in frames.enumerated() {
            let code = frame.withUnsafeBytes { push($0, isLast: index == frames.count - 1) }
            // If the connection ends between two frames, libzmq takes back the earlier frames.
            guard code == 0 else { return try result(of: code) }
        }
        return .sent
    }

    /// Hands one frame to libzmq, and returns 0 or the errno.
    private func push(_ frame: UnsafeRawBufferPointer, isLast: Bool) -> Int32 {
        let flags = ZMQ_DONTWAIT | (isLast ? 0 : ZMQ_SNDMORE)
        while zmq_send(handle, frame.baseAddress, frame.count, flags) == -1 {
            let code = zmq_errno()
            guard code == EINTR else { return code }
        }
        return 0
    }

    private func result(of code: Int32) throws(ZeroMQError) -> SendResult {
        switch code {
        case 0: .sent
        case EAGAIN: .wouldBlock
        case EHOSTUNREACH: .unroutable
        default: throw ZeroMQError(code: code, call: "zmq_send")
        }
    }
}

/// The bytes of a message while libzmq retains them.
private final class RetainedBytes: Sendable {
    nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer
    let onFree: @Sendable () -> Void

    init(copying body: [UInt8], onFree: @escaping @Sendable () -> Void) {
        bytes = .allocate(byteCount: body.count, alignment: 1)
        bytes.copyBytes(from: body)
        self.onFree = onFree
    }

    deinit { bytes.deallocate() }
}
