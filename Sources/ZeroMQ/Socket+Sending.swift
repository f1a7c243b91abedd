import CZeroMQ

extension Socket {
    /// Sends a message of one frame to a peer; from a DEALER or a PAIR.
    ///
    /// It never waits. The bytes are copied.
    ///
    /// - Throws: `ZeroMQError` if the socket is closed or the context terminated.
    /// - Complexity: O(`body.count`), with one allocation inside libzmq above 33 bytes.
    public func send(_ body: [UInt8]) throws(ZeroMQError) -> SendResult {
        try result(of: body.withUnsafeBytes { push($0, isLast: true) })
    }

    /// Sends a message of one frame to one of the peers of a ROUTER.
    ///
    /// It never waits. The bytes are copied. A peer that has gone is reported as ``SendResult/unroutable`` unless
    /// ``SocketOptions/isRouterMandatory`` is off.
    ///
    /// - Throws: `ZeroMQError` if the socket is closed or the context terminated.
    /// - Complexity: O(`body.count`), with one allocation inside libzmq above 33 bytes.
    public func send(_ body: [UInt8], to peer: RoutingID) throws(ZeroMQError) -> SendResult {
        let code = peer.withUnsafeBytes { push($0, isLast: false) }
        // A refused address leaves the ROUTER at the beginning of a message; after an accepted one it takes the rest.
        guard code == 0 else { return try result(of: code) }
        return try result(of: body.withUnsafeBytes { push($0, isLast: true) })
    }

    /// Sends a message of several frames, whole or not at all; a ROUTER's first frame is the address.
    ///
    /// It never waits. The bytes are copied.
    ///
    /// - Throws: `ZeroMQError` if there is no frame, the socket is closed, or the context terminated.
    public func send(frames: [[UInt8]]) throws(ZeroMQError) -> SendResult {
        guard !frames.isEmpty else { throw ZeroMQError(code: EINVAL, call: "zmq_send", subject: "no frames") }
        for (index, frame) in frames.enumerated() {
            let code = frame.withUnsafeBytes { push($0, isLast: index == frames.count - 1) }
            // Should the connection end between two frames, libzmq takes back the earlier ones.
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
