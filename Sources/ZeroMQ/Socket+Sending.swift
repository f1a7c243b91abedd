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
    func push(_ frame: UnsafeRawBufferPointer, isLast: Bool) -> Int32 {
        noteCall()
        let flags = ZMQ_DONTWAIT | (isLast ? 0 : ZMQ_SNDMORE)
        while zmq_send(handle, frame.baseAddress, frame.count, flags) == -1 {
            let code = zmq_errno()
            guard code == EINTR else { return code }
        }
        return 0
    }

    /// The outcome of a call that returned 0 or an errno.
    func result(of code: Int32) throws(ZeroMQError) -> SendResult {
        switch code {
        case 0: .sent
        case EAGAIN: .wouldBlock
        case EHOSTUNREACH: .unroutable
        default: throw ZeroMQError(code: code, call: "zmq_send")
        }
    }
}
