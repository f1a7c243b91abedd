@_spi(Baton) @testable import BatonWorker

/// A worker that has files, a worker that fetches these files, and the relay between the two workers.
final class FilePair {
    let relay: FileRelay
    let holder: FileBench
    let receiver: FileBench

    /// - Parameter receiverLimit: the bytes of files that the receiver may keep.
    init(_ directory: String, receiverLimit: UInt64 = 1 << 30) throws {
        relay = try FileRelay()
        holder = try FileBench(directory, 1, at: relay.endpoint)
        receiver = try FileBench(directory, 2, at: relay.endpoint, limit: receiverLimit)
    }

    /// Starts the sessions of both workers.
    func welcome() {
        holder.welcome()
        receiver.welcome()
    }

    /// Starts the sessions of both workers, and waits for the holder's connection.
    func connect() throws {
        welcome()
        try relay.run(asking: nil) { relay.peers[holder.session] != nil }
    }

    /// Stops the threads of both workers.
    func stop() { for bench in [holder, receiver] { bench.thread.stop() } }

    /// Stops the threads of both workers, and then the relay.
    func close() {
        stop()
        relay.close()
    }
}
