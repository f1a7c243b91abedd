@_spi(Baton) import BatonOperations
import Synchronization

extension DistributedOperation: CustomStringConvertible {
    /// The address and the name of the operation, and what the program has heard of its state: `12/3 (parse): executing`.
    ///
    /// Reading the description asks nothing of the cluster.
    public final var description: String {
        status.withLock { status in
            let address = status.place.id?.description
            let name = status.name.map { address == nil ? $0.asShown : "(\($0.asShown))" }
            let label = [address, name].compactMap(\.self).joined(separator: " ")
            let shown = label.isEmpty ? "operation without a name" : label
            let state = status.outcome?.rawValue ?? status.heardState?.rawValue ?? status.place.text
            return [shown, state].compactMap(\.self).joined(separator: ": ")
        }
    }

    /// How sentences about a dependent operation name this one: by name, address, or position in the dependencies.
    final func label(inDependenciesOf dependent: DistributedOperation) -> String {
        let (name, id) = status.withLock { ($0.name, $0.place.id) }
        if let name { return "\"\(name.asShown)\", which it depends on," }
        if let id { return "\(id), which it depends on," }
        let all = dependent.dependencies
        guard let index = all.firstIndex(of: self) else { return "an operation without a name, which it depends on," }
        return "its dependency \(index + 1) of \(all.count)"
    }
}

extension OperationPlace {
    /// The place in words; nil for an operation in the cluster.
    fileprivate var text: String? {
        switch self {
        case .free: "not added"
        case .unanswered: "perhaps added"
        case .waiting, .sent: "added, without an answer"
        case .refused: "refused"
        case .added: nil
        }
    }
}
