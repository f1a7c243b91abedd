@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonZeroMQ

/// The watch over a gate's key directory, as a source of a loop's poller.
struct PolledKeys {
    private let poller: Poller
    private var watch: KeyDirectoryWatch?
    private var source: Poller.Source?

    /// Polls the watch of a gate, if there are both.
    init(of gate: Gate?, in poller: Poller) {
        self.poller = poller
        if let gate { follow(gate) }
    }

    /// Whether the gate has to look at the table of keys now.
    func isLookDue(_ gate: Gate, at now: Timestamp) -> Bool {
        let isTold = source.map { poller.isReadable($0) } ?? false
        return isTold || gate.isLookDue(at: now)
    }

    /// Polls the present watch of a gate: a replaced key directory has a new watch.
    mutating func follow(_ gate: Gate) {
        guard gate.watch !== watch else { return }
        if let source { poller.remove(source) }
        watch = gate.watch
        source = watch.map { poller.add(fileDescriptor: $0.descriptor) }
    }
}
