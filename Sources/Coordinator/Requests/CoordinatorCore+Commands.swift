@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// Adds programs to operations after the submission.
extension CoordinatorCore {
    func add(_ command: [String], to address: Address, for client: ReplyAddress) {
        if let operation = liveSingle(address) {
            if let refusal = storeRefusal() { return send(.refused(refusal), to: client) }
            return apply(.addCommand(operation, command, request: answers.expect(for: client)))
        }
        answerFromStore(client) { store throws(StoreError) in
            switch try Self.single(nil, address, store) {
            case .success(let operation): .refused(.noCommandAdded(to: operation, in: .finished))
            case .failure(let refusal): .refused(refusal)
            }
        }
    }
}
