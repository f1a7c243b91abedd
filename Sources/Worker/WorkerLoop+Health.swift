@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonHealth
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonZeroMQ

/// What the worker says of its health.
extension WorkerLoop {
    /// Lets commands ask at a path, in place of an earlier one.
    func tellHealth(at path: String) {
        if let health { poller.remove(health.source) }
        do throws(HealthFailure) {
            let listener = try HealthListener(at: path)
            health = (listener, poller.add(fileDescriptor: listener.descriptor))
        } catch {
            health = nil
            options.logger.warning("\"baton health\" will not find this worker", metadata: ["reason": "\(error)"])
        }
    }

    /// The worker is of use while it is connected; it goes on with its operations in any case.
    var healthReport: HealthDocument.Process {
        let session = shell.session
        let coordinator = session.isWelcomed ? address : options.coordinator
        let state =
            if let standby = session.standbyPlace {
                "waits for a leader; \(places[standby]) stands by"
            } else {
                "\(session.isWelcomed ? "is connected" : "is not connected") to the coordinator at \(coordinator)"
            }
        return HealthDocument.Process(
            role: .worker,
            name: name,
            answers: true,
            ready: session.isWelcomed,
            coordinator: coordinator,
            executing: session.runningCount,
            message: "The worker \(name) answers, and \(state)."
        )
    }
}
