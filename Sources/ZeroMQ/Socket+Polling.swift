import CBatonZeroMQ

/// What a ``Poller`` asks a socket.
extension Socket {
    /// The descriptor that becomes readable when a message may have come, for as long as the socket is open.
    ///
    /// - Throws: `ZeroMQError` if the socket is closed or the context terminated.
    func eventDescriptor() throws(ZeroMQError) -> Int32 {
        try number(ZMQ_FD)
    }

    /// Whether a message waits.
    ///
    /// - Throws: `ZeroMQError` if the socket is closed or the context terminated.
    func hasMessage() throws(ZeroMQError) -> Bool {
        noteCall()
        guard try number(ZMQ_EVENTS) & ZMQ_POLLIN == 0 else { return true }
        noteEmpty()
        return false
    }

    /// The value of an option that is a number.
    private func number(_ option: Int32) throws(ZeroMQError) -> Int32 {
        var value: Int32 = 0
        var length = MemoryLayout<Int32>.size
        while zmq_getsockopt(handle, option, &value, &length) == -1 {
            let code = zmq_errno()
            guard code == EINTR else { throw ZeroMQError(code: code, call: "zmq_getsockopt") }
        }
        return value
    }
}
