import Testing

@testable import BatonWorker

@Suite("The budget of descriptors")
struct DescriptorBudgetTests {
    @Test("A limit below the need of one operation and one hook is told apart", arguments: [(24, false), (64, true)])
    func few(limit: Int, suffices: Bool) {
        let budget = DescriptorBudget(slots: 1, limit: limit, open: 12)
        #expect((budget.slots, budget.hooks) == (1, 1))
        #expect(budget.suffices == suffices)
        #expect(budget.spare < 16)
    }

    @Test("A high limit gives all slots")
    func many() {
        let budget = DescriptorBudget(slots: 64, limit: 4096, open: 12)
        #expect((budget.slots, budget.suffices) == (64, true))
        #expect(budget.spare > 16)
    }
}
