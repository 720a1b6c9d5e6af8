/** The answers of a café, as its owner would write them. */
export const cafeContent = `# Your visit

## When are you open?

Monday to Friday from 7:30 to 18:00, Saturday and Sunday from 9:00 to 17:00. We are closed on 25 December and on 1 January.

## How do I find you?

12 Mill Lane, beside the old station. Tram 4 stops in front of the door.

## Is there parking?

We have two spaces behind the house. In Station Road, two minutes on foot, there is a car park.

## Are dogs welcome?

Yes, on a lead. There is always a bowl of water by the door.

## Do I need a reservation?

Up to four people just come by. If you are more, please book a table by phone: 0161 496 0000.

## Is the café accessible with a wheelchair?

Yes: there is a ramp at the side, and the toilet is on the ground floor.

## Can I work here with a laptop?

Yes, and the Wi-Fi is free: ask for the password at the counter. At weekends, please leave the tables to guests who eat.

## I have left something behind. Where is it?

We keep what we find for a month. Ask at the counter, or call us.

# Food and drinks

## What is vegan?

All of our soups, two of the cakes each day, and every coffee with oat milk.

## Do you have something without gluten?

Yes: the almond cake and the salads. We bake it in the same kitchen, so there may be traces of flour.

## Where does your coffee come from?

From three farms in Ethiopia and Peru. A roastery in Leeds roasts the beans for us each week.

## Do you have decaf?

Yes, for the same price.

## Can I bring my own cup?

Please do! Your drink is 30 pence cheaper then.

# Cakes to order

## How do I order a cake?

Three days before, at the counter or by email to cakes@cafe.example. Say how many people it is for, and whether there is something to write on it.

## What does a cake cost?

The small one, for eight people, is 32 pounds. The large one, for sixteen, is 55.

## Do you deliver cakes?

In the city, by cargo bike, for 8 pounds. Everything else has to be picked up.

## Can I cancel a cake?

Until two days before, free of charge. After that we charge half of the price.

# Other questions

## Can I rent the café for a party?

In the evening, from 18:30 on, for up to 40 guests. Write to us with the date.

## Do you sell gift vouchers?

Yes, at the counter, for any amount. They are valid for three years.

## Which cards do you take?

Visa, Mastercard, Apple Pay and Google Pay, and cash of course.

## Are you hiring?

We look for people in the kitchen and behind the counter all year. Bring your CV along.
`
