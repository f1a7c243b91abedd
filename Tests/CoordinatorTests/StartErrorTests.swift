@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonZeroMQ
import Glibc
import Testing

@_spi(Baton) @testable import BatonCoordinator

/// The errors of a coordinator that cannot start.
@Suite("Errors of a start")
struct StartErrorTests {
    @Test(
        "A lack of descriptors or memory for the socket may pass, and is no fault of the address",
        arguments: [EMFILE, ENFILE, ENOMEM]
    )
    func socket(code: Int32) {
        for call in ["zmq_socket", "zmq_bind"] {
            let error = CoordinatorPort.bindError(ZeroMQError(code: code, call: call), "tcp://127.0.0.1:7461")
            #expect((error.code, error.mayPass) == (.other, true))
        }
    }

    @Test(
        "An address that cannot be listened at is the fault of the address",
        arguments: [EINVAL, EACCES, ENAMETOOLONG]
    )
    func address(code: Int32) {
        let error = CoordinatorPort.bindError(ZeroMQError(code: code, call: "zmq_bind"), "tcp://127.0.0.1:7461")
        #expect((error.code, error.mayPass) == (.badAddress, false))
    }

    @Test(
        "An obstacle at the record or at the keys that may pass is one for the coordinator",
        arguments: [false, true]
    )
    func passedOn(mayPass: Bool) {
        let record = CoordinatorError(StoreError(.full, "A sentence.", mayPass: mayPass))
        #expect((record.code, record.mayPass) == (.storeNotAccessible, mayPass))
        let keys = CoordinatorError(KeyError(.notAccessible, "A sentence.", mayPass: mayPass))
        #expect((keys.code, keys.mayPass) == (.keys, mayPass))
        #expect(keys.keyError?.mayPass == mayPass)
    }
}
