import CBatonZeroMQ

extension Socket {
    /// Closes it at once, and gives messages that are not sent yet a time of their own instead of
    /// ``SocketOptions/linger``: for a last word.
    ///
    /// The time holds up the end of the context, not this call. On a closed socket it has no effect.
    public func close(lingering time: Duration) {
        // It fails on a closed socket only.
        try? set(ZMQ_LINGER, time.milliseconds, "ZMQ_LINGER")
        close()
    }
}
