import CBatonZeroMQ

@_spi(Baton) extension Socket {
    /// Closes the socket at once, and gives unsent messages a separate time instead of ``SocketOptions/linger``.
    ///
    /// Use it for a last message. The time holds up the end of the context, not this call. The call has no effect on a
    /// closed socket.
    public func close(lingering time: Duration) {
        // Setting the option fails on a closed socket only.
        try? set(ZMQ_LINGER, time.milliseconds, "ZMQ_LINGER")
        close()
    }
}
