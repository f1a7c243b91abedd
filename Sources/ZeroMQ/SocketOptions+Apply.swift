import CBatonZeroMQ

extension SocketOptions {
    /// Sets all options on a socket that has neither bound nor connected.
    func apply(to socket: Socket) throws(ZeroMQError) {
        try socket.set(ZMQ_LINGER, linger?.milliseconds ?? -1, "ZMQ_LINGER")
        // libzmq compares the length of the frame on the wire.
        let longestFrame = maximumMessageSize.map { $0 + security.frameOverhead } ?? -1
        try socket.set(ZMQ_MAXMSGSIZE, Int64(longestFrame), "ZMQ_MAXMSGSIZE")
        try socket.set(ZMQ_SNDHWM, Int32(clamping: sendHighWaterMark), "ZMQ_SNDHWM")
        try socket.set(ZMQ_RCVHWM, Int32(clamping: receiveHighWaterMark), "ZMQ_RCVHWM")
        try socket.set(ZMQ_BACKLOG, Int32(clamping: backlog), "ZMQ_BACKLOG")
        // libzmq would divide by zero.
        try socket.set(ZMQ_RECONNECT_IVL, max(1, reconnectInterval.milliseconds), "ZMQ_RECONNECT_IVL")
        try socket.set(ZMQ_RECONNECT_IVL_MAX, maximumReconnectInterval?.milliseconds ?? 0, "ZMQ_RECONNECT_IVL_MAX")
        try socket.set(ZMQ_CONNECT_TIMEOUT, connectTimeout?.milliseconds ?? 0, "ZMQ_CONNECT_TIMEOUT")
        try socket.set(ZMQ_HANDSHAKE_IVL, handshakeTimeout?.milliseconds ?? 0, "ZMQ_HANDSHAKE_IVL")
        if let keepAlive {
            try socket.set(ZMQ_TCP_KEEPALIVE, Int32(1), "ZMQ_TCP_KEEPALIVE")
            try socket.set(ZMQ_TCP_KEEPALIVE_IDLE, keepAlive.idle.wholeSeconds, "ZMQ_TCP_KEEPALIVE_IDLE")
            try socket.set(ZMQ_TCP_KEEPALIVE_INTVL, keepAlive.interval.wholeSeconds, "ZMQ_TCP_KEEPALIVE_INTVL")
            try socket.set(ZMQ_TCP_KEEPALIVE_CNT, Int32(clamping: keepAlive.probes), "ZMQ_TCP_KEEPALIVE_CNT")
        }
        if let unreadTimeout {
            try socket.set(ZMQ_TCP_MAXRT, unreadTimeout.milliseconds, "ZMQ_TCP_MAXRT")
        }
        if socket.kind == .router {
            try socket.set(ZMQ_ROUTER_MANDATORY, Int32(isRouterMandatory ? 1 : 0), "ZMQ_ROUTER_MANDATORY")
            try socket.set(ZMQ_ROUTER_HANDOVER, Int32(isRouterHandover ? 1 : 0), "ZMQ_ROUTER_HANDOVER")
        }
        try security.apply(to: socket)
        if let routingID {
            let code = routingID.withUnsafeBytes { socket.setBytes(ZMQ_ROUTING_ID, $0) }
            guard code == 0 else { throw ZeroMQError(code: code, call: "zmq_setsockopt", subject: "ZMQ_ROUTING_ID") }
        }
    }
}

extension Duration {
    /// Whole seconds, rounded up, at least one: the kernel counts keep-alive times in seconds.
    fileprivate var wholeSeconds: Int32 { max(1, (milliseconds - 1) / 1_000 + 1) }
}
