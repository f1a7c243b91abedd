@_spi(Baton) import BatonOperations
import Testing

@Suite("Work of completion hooks") struct CompletionHookTests {
    @Test(
        "A completion hook takes the environment, directory, timeout and grace period of its operation, and nothing else"
    )
    func completionHookTakesEnvironment() {
        let work = Work(
            .commands([["convert", "a.png"], ["true"]]),
            environment: ["COLOUR": "blue"],
            directory: "/tmp",
            standardInput: "/dev/zero",
            timeout: .seconds(7),
            gracePeriod: .forever
        )
        let hook = Work(
            .commands([["tell", "me"]]),
            environment: ["COLOUR": "blue"],
            directory: "/tmp",
            timeout: .seconds(7),
            gracePeriod: .forever
        )
        #expect(work.completionHook(["tell", "me"]) == hook)
        #expect(Work(.noOperation).completionHook(["true"]) == Work(.commands([["true"]])))
    }
}
