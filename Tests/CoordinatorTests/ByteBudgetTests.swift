import Testing

@testable import BatonCoordinator

@Suite("Budgets in bytes")
struct ByteBudgetTests {
    @Test("A peer has room up to its own limit, and all of them up to the common one")
    func limits() {
        var budget = ByteBudget<Int>(ofPeer: 100, inAll: 150)
        budget.take(80, for: 1)
        #expect(budget.hasRoom(for: 20, of: 1))
        #expect(!budget.hasRoom(for: 21, of: 1))
        budget.take(60, for: 2)
        #expect(budget.total == 140)
        #expect(!budget.hasRoom(for: 11, of: 2))
        budget.giveBack(30, of: 1)
        #expect(budget.hasRoom(for: 11, of: 2))
        #expect(budget[1] == 50)
    }

    @Test("Who has nothing may have one thing of any size, and a small share whatever the others have")
    func ownShare() {
        var budget = ByteBudget<Int>(ofPeer: 100, inAll: 100, ownShare: 10)
        budget.take(100, for: 1)
        #expect(budget.hasRoom(for: 1_000_000, of: 2))
        budget.take(4, for: 2)
        #expect(budget.hasRoom(for: 6, of: 2))
        #expect(!budget.hasRoom(for: 7, of: 2))
    }

    @Test("Where there is too much already, one peer at a time has something large, and each its small share")
    func exception() {
        var budget = ByteBudget<Int>(ofPeer: 100, inAll: 100, forFirst: 200, ownShare: 10)
        for peer in 0..<4 {
            #expect(budget.hasRoom(for: 50, of: peer))
            budget.take(50, for: peer)
        }
        #expect(!budget.hasRoom(for: 50, of: 0))
        #expect(budget.hasRoom(for: 50, of: 4))
        budget.take(50, for: 4)
        #expect(!budget.hasRoom(for: 50, of: 5))
        #expect(budget.hasRoom(for: 10, of: 5))
        budget.take(10, for: 5)
        budget.giveBack(50, of: 4)
        #expect(budget.hasRoom(for: 50, of: 6))
    }

    @Test("What was never taken cannot be given back")
    func tooMuchGivenBack() {
        var budget = ByteBudget<Int>(ofPeer: 100, inAll: 100)
        budget.take(10, for: 1)
        budget.giveBack(20, of: 1)
        budget.giveBack(5, of: 2)
        #expect(budget.total == 0)
        #expect(budget[1] == 0)
    }

    @Test("A line hands out what came first, however much goes through it")
    func fifo() {
        var line = Fifo<Int>()
        var next = 0
        for number in 0..<1000 {
            line.append(number)
            guard number % 3 != 0 else { continue }
            let taken = line.popFirst()
            #expect(taken == next)
            next += 1
        }
        while let taken = line.popFirst() {
            #expect(taken == next)
            next += 1
        }
        #expect(next == 1000)
        #expect(line.isEmpty)
    }
}
