@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Tells the coordinator's own worker from others.
extension CoordinatorCore {
    /// Why a hello is refused by what it says of being the coordinator's own worker, or by that worker's name; nil if it is not.
    func objection(toKeeper hello: WorkerHello) -> Refusal? {
        guard let claim = hello.keeper else {
            return hello.name == options.keeper?.name ? .nameOfKeeper(hello.name) : nil
        }
        guard let keeper = options.keeper, keeper.isGenuine(claim), hello.name == keeper.name else {
            return .strangeKeeper(hello.name)
        }
        return nil
    }
}

extension Refusal {
    /// Refuses a worker with the name of the coordinator's own worker.
    fileprivate static func nameOfKeeper(_ name: String) -> Refusal {
        Refusal(
            .invalid,
            "The name \(name.asShown) is that of the coordinator's own worker, which keeps files. Give this worker another name."
        )
    }

    /// Refuses a worker that says that it is the coordinator's own, and is not.
    fileprivate static func strangeKeeper(_ name: String) -> Refusal {
        Refusal(
            .notAllowed,
            "The worker \(name.asShown) says that it is the coordinator's own, which keeps files, and it does not belong to this "
                + "coordinator. Another coordinator may have had the address before: start that one at an address of its own."
        )
    }
}
