@_spi(Baton) package import BatonZeroMQ

extension Socket {
    /// Binds an endpoint at which another socket of this process may have listened just before.
    ///
    /// The port of a closed socket can stay in use for a moment: a process that another test starts has a copy of each descriptor
    /// until its program begins. The address must be the caller's alone (``LoopbackAddress``), else the wait may be in vain.
    ///
    /// - Throws: `ZeroMQError` if the bind fails for another reason than a used address.
    package func bindPatiently(_ endpoint: String) throws(ZeroMQError) {
        while true {
            do throws(ZeroMQError) {
                return try bind(endpoint)
            } catch {
                guard error.reason == .addressInUse else { throw error }
            }
        }
    }
}
